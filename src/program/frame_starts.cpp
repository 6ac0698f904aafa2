#include "program/frame_starts.h"

#include "program/elf_sections.h"

#include <algorithm>
#include <cstring>

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

}  // namespace kymo::program
