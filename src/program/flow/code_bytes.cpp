#include "program/flow/code_bytes.h"

#include <algorithm>

namespace kymo::program {

CodeBytes::CodeBytes(std::vector<CodeRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.bytes.size() > b.bytes.size();
    });
    for (const CodeRange& range : ranges) {
        const bool overlaps = !ranges_.empty() && range.begin < ranges_.back().end();
        if (!range.bytes.empty() && !overlaps && range.end() > range.begin) {
            ranges_.push_back(range);
        }
    }
}

std::span<const std::uint8_t> CodeBytes::from(std::uint64_t address) const {
    const auto behind =
        std::upper_bound(ranges_.begin(), ranges_.end(), address,
                         [](std::uint64_t value, const CodeRange& range) { return value < range.begin; });
    if (behind == ranges_.begin() || address >= std::prev(behind)->end()) {
        return {};
    }
    const CodeRange& range = *std::prev(behind);
    return range.bytes.subspan(address - range.begin);
}

}  // namespace kymo::program
