#include "program/flow/code_bytes.h"

#include "base/last_at_most.h"

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
    const CodeRange* const range = last_at_most(ranges_, address, &CodeRange::begin);
    if (range == nullptr || address >= range->end()) {
        return {};
    }
    return range->bytes.subspan(address - range->begin);
}

}  // namespace kymo::program
