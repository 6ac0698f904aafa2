#include "program/frame_starts.h"

#include "program/elf_sections.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <elfutils/libdw.h>

namespace kymo::program {
namespace {

constexpr std::uint8_t kUnsigned4 = 0x03;
constexpr std::uint8_t kSigned4 = 0x0b;
constexpr std::uint8_t kRelativeToSection = 0x30;
constexpr std::uint8_t kFormMask = 0x0f;
constexpr std::size_t kCountAt = 8;
constexpr std::size_t kTableAt = 12;
constexpr std::size_t kRowBytes = 8;

}  // namespace

std::vector<std::uint64_t> parse_frame_starts(std::span<const std::uint8_t> bytes, std::uint64_t address) {
    std::vector<std::uint64_t> starts;
    if (bytes.size() < kTableAt || bytes[0] != 1) {
        return starts;
    }
    const std::uint8_t pointer_form = bytes[1] & kFormMask;
    if ((pointer_form != kSigned4 && pointer_form != kUnsigned4) || bytes[2] != kUnsigned4 ||
        bytes[3] != (kRelativeToSection | kSigned4)) {
        return starts;
    }
    std::uint32_t count = 0;
    std::memcpy(&count, &bytes[kCountAt], sizeof count);
    const std::size_t rows = std::min<std::size_t>(count, (bytes.size() - kTableAt) / kRowBytes);
    starts.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        std::int32_t relative = 0;
        std::memcpy(&relative, &bytes[kTableAt + row * kRowBytes], sizeof relative);
        starts.push_back(address + static_cast<std::uint64_t>(std::int64_t{relative}));
    }
    if (!std::is_sorted(starts.begin(), starts.end())) {
        std::sort(starts.begin(), starts.end());
    }
    return starts;
}

std::vector<std::uint64_t> frame_starts(Dwfl_Module* module) {
    const auto section = section_named(module, ".eh_frame_hdr");
    return section ? parse_frame_starts(section->bytes, section->address) : std::vector<std::uint64_t>{};
}

EntryFrame frame_at_entry(Dwfl_Module* module, std::uint64_t offset) {
    constexpr unsigned kStackPointer = 7;  // x86-64's; aarch64 keeps the return address in a register
    constexpr unsigned kReturnBytes = 8;
    Dwarf_Addr bias = 0;
    Dwarf_CFI* information = dwfl_module_eh_cfi(module, &bias);
    Dwarf_Frame* frame = nullptr;
    if (information == nullptr || dwarf_cfi_addrframe(information, offset - bias, &frame) != 0) {
        return EntryFrame::kUnknown;
    }
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    const bool known = dwarf_frame_cfa(frame, &operations, &count) == 0;
    const bool called = known && count == 1 &&
                        ((operations[0].atom == DW_OP_bregx && operations[0].number == kStackPointer &&
                          operations[0].number2 == kReturnBytes) ||
                         (operations[0].atom == DW_OP_breg7 && operations[0].number == kReturnBytes));
    std::free(frame);  // NOLINT: as libdw says
    return called ? EntryFrame::kCalled : known ? EntryFrame::kOther : EntryFrame::kUnknown;
}

}  // namespace kymo::program
