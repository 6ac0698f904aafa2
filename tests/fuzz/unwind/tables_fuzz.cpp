// Any bytes as call-frame sections: a table comes out whose rows ascend, every rule of which can be looked up, and by
// which a walk over any stack stays in its bounds.
//
// Input: byte 0 chooses the section (bit 0: .debug_frame; bit 1: with a .eh_frame_hdr in front; bit 2: its end is not
// known), byte 1 the length of the header in 8 bytes, byte 2 the length of the stack in 8 bytes, taken from the end;
// the rest is the section.
#include "unwind/compile.h"
#include "unwind/native.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using namespace kymo::unwind;

constexpr std::uint64_t kSectionAddress = 0x10000;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void step_by_every_rule(const Table& table, std::span<const std::uint8_t> stack) {
    constexpr std::uint64_t kStackAddress = 0x7FF000000000;
    const MemoryView view = MemoryView::copied(kStackAddress, stack);
    for (std::uint32_t row = 0; row < table.rows; ++row) {
        require(row == 0 || table.starts[row - 1] < table.starts[row]);
        require(table.find(table.base + table.starts[row]) == table.rules[row]);
        Registers registers;
        for (unsigned i = 0; i < registers.general.size(); ++i) {
            registers.general[i] = kStackAddress + 8 * i;
        }
        registers.pc = table.starts[row];
        native::Cursor cursor(registers);
        const RuleWord rule = table.rules[row];
        StepResult result = StepResult::kBadRule;
        unsigned operations = 1000;
        if (kind_of(rule) == RuleKind::kPlain) {
            result = cursor.step(rule, view);
        } else if (kind_of(rule) == RuleKind::kExtended) {
            const ExtendedRule* extended = table.extended_of(rule);
            require(extended != nullptr);
            result = cursor.step(*extended, table, view, &operations);
        }
        if (result == StepResult::kOk && cursor.sp() == registers.sp()) {
            // An interrupted function may have popped its return address into a register: once (native step).
            require(kind_of(rule) == RuleKind::kExtended);
            result = cursor.step(*table.extended_of(rule), table, view, &operations);
        }
        require(result != StepResult::kOk || cursor.sp() > registers.sp());
        std::uint64_t value = 0;
        for (unsigned i = 0; i <= native::kGeneralRegisters; ++i) {
            cursor.get(i, view, &value);
        }
        cursor.detach(view);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3) {
        return 0;
    }
    const bool debug = (data[0] & 1U) != 0;
    const bool with_header = (data[0] & 2U) != 0 && !debug;
    const bool open_ended = (data[0] & 4U) != 0;
    const std::span given(data + 3, size - 3);
    const std::span stack_bytes = given.last(std::min<std::size_t>(data[2] * std::size_t{8}, given.size()));
    const std::span rest = given.first(given.size() - stack_bytes.size());
    const std::size_t header_size = with_header ? std::min<std::size_t>(data[1] * std::size_t{8}, rest.size()) : 0;
    const std::span section_bytes = rest.subspan(header_size);
    // On the heap and of the exact sizes, so that a sanitizer sees any byte read outside.
    const std::vector<std::uint8_t> stack(stack_bytes.begin(), stack_bytes.end());
    const std::vector<std::uint8_t> header(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(header_size));
    const std::vector<std::uint8_t> section(section_bytes.begin(), section_bytes.end());

    CompileInput input;
    input.code_begin = 0;
    input.code_end = std::uint64_t{1} << 33U;
    FrameSection& frames = debug ? input.debug_frame : input.eh_frame;
    frames.bytes = section;
    frames.address = kSectionAddress;
    frames.exact = !open_ended;
    frames.kind = debug ? FrameSectionKind::kDebugFrame : FrameSectionKind::kEhFrame;
    if (with_header) {
        FrameSection in_front;
        in_front.bytes = header;
        in_front.address = kSectionAddress - header_size;
        read_frame_header(in_front, &input.eh_header);
    }
    Table table;
    require(compile(input, &table));
    step_by_every_rule(table, stack);
    release(&table);
    return 0;
}
