#include "events/kept_file.h"

#include "events/kept_code.h"
#include "events/session.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::events {
namespace {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// Ascending, disjoint, none empty; with at most `within` bytes between two of them they are one.
Ranges joined(Ranges ranges, std::uint64_t within) {
    std::sort(ranges.begin(), ranges.end());
    Ranges result;
    for (const auto& [begin, end] : ranges) {
        if (begin >= end) {
            continue;
        }
        if (!result.empty() && (begin <= result.back().second || begin - result.back().second <= within)) {
            result.back().second = std::max(result.back().second, end);
        } else {
            result.emplace_back(begin, end);
        }
    }
    return result;
}

}  // namespace

std::string format_kept_code(std::uint32_t events, std::span<const CodeOfImage> images) {
    std::vector<const CodeOfImage*> told;
    for (const CodeOfImage& image : images) {
        if (!image.build_id.empty() && image.build_id.size() <= kMaxBuildIdBytes &&
            !joined(image.ranges, 0).empty() && told.size() < kMaxKeptImages) {
            told.push_back(&image);
        }
    }
    const std::size_t most = kMaxKeptRanges / std::max<std::size_t>(told.size(), 1);
    std::string text = "kymo-kept 1\n";
    for (std::uint32_t event = 0; event < kMaxEvents; ++event) {
        if ((events >> event & 1U) != 0) {
            text += fmt::format("event {:x}\n", event);
        }
    }
    for (const CodeOfImage* const image : told) {
        Ranges ranges = joined(image->ranges, 0);
        for (std::uint64_t within = 16; ranges.size() > most; within *= 2) {
            ranges = joined(std::move(ranges), within);
        }
        text += "image ";
        for (const char c : image->build_id) {
            text += fmt::format("{:02x}", static_cast<unsigned char>(c));
        }
        text += '\n';
        for (const auto& [begin, end] : ranges) {
            text += fmt::format("range {:x} {:x}\n", begin, end);
        }
    }
    return text;
}

}  // namespace kymo::events
