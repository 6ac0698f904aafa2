#include "spacetime/spaces/code_space.h"

#include <algorithm>

namespace kymo::spacetime {

std::vector<ByteRange> normalise(std::vector<ByteRange> ranges) {
    std::erase_if(ranges, [](const ByteRange& range) { return range.begin >= range.end; });
    std::sort(ranges.begin(), ranges.end());
    std::size_t kept = 0;
    for (const ByteRange& range : ranges) {
        if (kept > 0 && range.begin <= ranges[kept - 1].end) {
            ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
        } else {
            ranges[kept++] = range;
        }
    }
    ranges.resize(kept);
    return ranges;
}

std::uint64_t byte_count(std::span<const ByteRange> ranges) {
    std::uint64_t bytes = 0;
    for (const ByteRange& range : ranges) {
        bytes += range.end - range.begin;
    }
    return bytes;
}

std::vector<ByteRange> intersection(std::span<const ByteRange> a, std::span<const ByteRange> b) {
    std::vector<ByteRange> common;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < a.size() && k < b.size()) {
        const ByteRange both = {std::max(a[i].begin, b[k].begin), std::min(a[i].end, b[k].end)};
        if (both.begin < both.end) {
            common.push_back(both);
        }
        a[i].end < b[k].end ? ++i : ++k;
    }
    return common;
}

std::uint64_t common_bytes(std::span<const ByteRange> a, std::span<const ByteRange> b) {
    std::uint64_t bytes = 0;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < a.size() && k < b.size()) {
        const std::uint64_t begin = std::max(a[i].begin, b[k].begin);
        const std::uint64_t end = std::min(a[i].end, b[k].end);
        bytes += begin < end ? end - begin : 0;
        a[i].end < b[k].end ? ++i : ++k;
    }
    return bytes;
}

}  // namespace kymo::spacetime
