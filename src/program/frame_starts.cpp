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

struct Row {
    std::uint64_t start = 0;
    std::uint64_t description = 0;  // where its call-frame information is
    bool operator<(const Row& other) const { return start < other.start; }
};

std::vector<Row> parse_rows(std::span<const std::uint8_t> bytes, std::uint64_t address) {
    std::vector<Row> starts;
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
        std::int32_t relative[2] = {};
        std::memcpy(relative, &bytes[kTableAt + row * kRowBytes], sizeof relative);
        starts.push_back({address + static_cast<std::uint64_t>(std::int64_t{relative[0]}),
                          address + static_cast<std::uint64_t>(std::int64_t{relative[1]})});
    }
    if (!std::is_sorted(starts.begin(), starts.end())) {
        std::sort(starts.begin(), starts.end());
    }
    return starts;
}

template <typename T>
T value_at(std::span<const std::uint8_t> bytes, std::uint64_t at) {
    T value{};
    if (at <= bytes.size() && bytes.size() - at >= sizeof value) {
        std::memcpy(&value, &bytes[at], sizeof value);
    }
    return value;
}

// Bytes of an address in the descriptions that belong to the common information at `at`; 0: not known.
std::size_t address_bytes(std::span<const std::uint8_t> frames, std::uint64_t at) {
    constexpr std::size_t kAugmentationAt = 9;
    const auto byte = [&](std::uint64_t where) { return value_at<std::uint8_t>(frames, where); };
    const auto skip_number = [&](std::uint64_t& where) {
        while ((byte(where++) & 0x80U) != 0) {
        }
    };
    std::uint64_t letters = at + kAugmentationAt;
    std::uint64_t next = letters;
    while (next < frames.size() && frames[next] != 0) {
        ++next;
    }
    ++next;
    if (byte(letters) != 'z') {
        return byte(letters) == 0 ? sizeof(std::uint64_t) : 0;
    }
    skip_number(next);  // code alignment
    skip_number(next);  // data alignment
    skip_number(next);  // the return address's register
    skip_number(next);  // the augmentation's length
    const auto bytes_of = [](std::uint8_t form) -> std::size_t {
        constexpr std::uint8_t kSizes[] = {8, 0, 2, 4, 8, 0, 0, 0};
        return form == DW_EH_PE_omit ? 0 : kSizes[form & 0x07U];
    };
    while (const std::uint8_t letter = byte(++letters)) {
        if (letter == 'R') {
            return bytes_of(byte(next));
        }
        if (letter == 'P') {
            const std::size_t personality = bytes_of(byte(next));
            if (personality == 0) {
                return 0;
            }
            next += 1 + personality;
        } else if (letter == 'L') {
            ++next;
        } else if (letter != 'S' && letter != 'B' && letter != 'G') {
            return 0;
        }
    }
    return sizeof(std::uint64_t);
}

}  // namespace

std::vector<std::uint64_t> parse_frame_starts(std::span<const std::uint8_t> bytes, std::uint64_t address) {
    std::vector<std::uint64_t> starts;
    for (const Row& row : parse_rows(bytes, address)) {
        starts.push_back(row.start);
    }
    return starts;
}

std::vector<std::uint64_t> frame_starts(Dwfl_Module* module) {
    const auto section = section_named(module, ".eh_frame_hdr");
    return section ? parse_frame_starts(section->bytes, section->address) : std::vector<std::uint64_t>{};
}

std::uint64_t described_length(std::span<const std::uint8_t> frames, std::uint64_t at) {
    constexpr std::uint32_t kWide = 0xffffffff;
    const auto length = value_at<std::uint32_t>(frames, at);
    const std::uint64_t pointer_at = at + sizeof length;
    const auto back = value_at<std::uint32_t>(frames, pointer_at);
    if (length == 0 || length == kWide || back == 0 || back > pointer_at) {
        return 0;
    }
    const std::uint64_t range_at = pointer_at + sizeof back;
    switch (address_bytes(frames, pointer_at - back)) {
        case 2:
            return value_at<std::uint16_t>(frames, range_at + 2);
        case 4:
            return value_at<std::uint32_t>(frames, range_at + 4);
        case 8:
            return value_at<std::uint64_t>(frames, range_at + 8);
        default:
            return 0;
    }
}

std::vector<FrameExtent> frame_extents(Dwfl_Module* module) {
    std::vector<FrameExtent> extents;
    const auto table = section_named(module, ".eh_frame_hdr");
    const auto frames = section_named(module, ".eh_frame");
    if (!table) {
        return extents;
    }
    const auto rows = parse_rows(table->bytes, table->address);
    extents.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint64_t next = i + 1 < rows.size() ? rows[i + 1].start : ~std::uint64_t{0};
        const std::uint64_t length = frames && rows[i].description >= frames->address
                                         ? described_length(frames->bytes, rows[i].description - frames->address)
                                         : 0;
        extents.push_back({rows[i].start, length == 0 ? next : std::min(next, rows[i].start + length)});
    }
    return extents;
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
