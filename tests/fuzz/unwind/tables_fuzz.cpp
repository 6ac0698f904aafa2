// Any bytes as call-frame sections, on every architecture: a table comes out whose rows ascend, every rule of which
// can be looked up, and by which a walk over any stack stays in its bounds.
//
// Input: byte 0 chooses the section (bit 0: .debug_frame; bit 1: with a .eh_frame_hdr in front; bit 2: its end is not
// known), byte 1 the length of the header in 8 bytes, byte 2 the length of the stack in 8 bytes, taken from the end;
// the rest is the section.
#include "unwind/aarch64/arch.h"
#include "unwind/compile.h"
#include "unwind/loongarch64/arch.h"
#include "unwind/riscv64/arch.h"
#include "unwind/sw_64/arch.h"
#include "unwind/x86_64/arch.h"

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

// An interrupted function may have nothing on the stack: its return address was popped into a register (x86-64), or
// is there still. Once.
template <class Rules>
bool may_leave_the_stack(RuleWord rule) {
    return kind_of(rule) == RuleKind::kExtended || Rules::return_slot(rule) == 0;
}

template <class Arch>
void step_by_every_rule(const Table& table, std::span<const std::uint8_t> stack) {
    constexpr std::uint64_t kStackAddress = 0x7FF000000000;
    const MemoryView view = MemoryView::copied(kStackAddress, stack);
    for (std::uint32_t row = 0; row < table.rows; ++row) {
        require(row == 0 || table.starts[row - 1] < table.starts[row]);
        require(table.find(table.base + table.starts[row]) == table.rules[row]);
        typename Arch::Registers registers;
        for (unsigned i = 0; i < registers.general.size(); ++i) {
            registers.general[i] = kStackAddress + 8 * i;
        }
        registers.pc = table.starts[row];
        typename Arch::Cursor cursor(registers);
        const RuleWord rule = table.rules[row];
        unsigned operations = 1000;
        const auto step = [&] {
            if (kind_of(rule) == RuleKind::kPlain) {
                return cursor.step(rule, view);
            }
            if (kind_of(rule) != RuleKind::kExtended) {
                return StepResult::kBadRule;
            }
            const ExtendedRule* extended = table.extended_of(rule);
            require(extended != nullptr);
            return cursor.step(*extended, table, view, &operations);
        };
        StepResult result = step();
        if (result == StepResult::kOk && cursor.sp() == registers.sp()) {
            require(may_leave_the_stack<typename Arch::Rules>(rule));
            result = step();
        }
        require(result != StepResult::kOk || cursor.sp() > registers.sp());
        std::uint64_t value = 0;
        for (unsigned i = 0; i < Arch::Rules::kRuleRegisters; ++i) {
            cursor.get(i, view, &value);
        }
        cursor.detach(view);
    }
}

template <class Arch>
void check(const CompileInput& input, std::span<const std::uint8_t> stack) {
    Table table;
    require(compile_for<typename Arch::RulePacker>(input, &table));
    step_by_every_rule<Arch>(table, stack);
    release(&table);
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
    check<x86_64::Arch>(input, stack);
    check<aarch64::Arch>(input, stack);
    check<loongarch64::Arch>(input, stack);
    check<riscv64::Arch>(input, stack);
    check<sw_64::Arch>(input, stack);
    return 0;
}
