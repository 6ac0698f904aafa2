// The code in which samples of further events are kept: passed by `kymo record --for` to the monitor, in the file
// `kept` beside the session, plain text, one fact a line:
//
//     kymo-kept 1                    version; always the first line
//     event N                        index (hexadecimal) in the session's events, once for each further event
//     image BUILD_ID                 hexadecimal, 1 to 64 bytes
//     range BEGIN END                of that image: offsets, hexadecimal; ascending and disjoint within it
//
// Contract: parsing is usable in the monitor (no malloc, no exceptions), bounded by the text's size and by the limits
// here, and refuses a file as a whole if it does not understand a part. About 70 kB: keep one in static storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::events {

inline constexpr const char* kKeptFile = "kept";
inline constexpr std::size_t kMaxKeptFile = 256 * 1024;
inline constexpr std::size_t kMaxKeptImages = 64;
inline constexpr std::size_t kMaxKeptRanges = 4096;  // of all images together
inline constexpr std::size_t kMaxBuildIdBytes = 64;

struct KeptRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct KeptImage {
    std::uint8_t build_id[kMaxBuildIdBytes] = {};
    std::uint32_t build_id_bytes = 0;
    std::uint32_t first = 0;  // of KeptCode::ranges
    std::uint32_t count = 0;
};

struct KeptCode {
    std::uint32_t events = 0;  // bit i: samples of event i are kept only here
    std::uint32_t image_count = 0;
    std::uint32_t range_count = 0;
    KeptImage images[kMaxKeptImages];
    KeptRange ranges[kMaxKeptRanges];

    // The image of this build id; −1: nothing of it is kept.
    int image_of(std::span<const std::uint8_t> build_id) const;
    // Precondition: image < image_count. O(log ranges).
    bool holds(std::uint32_t image, std::uint64_t offset) const;
};

// False: not such a file; `code` is then unspecified.
bool parse_kept_code(std::string_view text, KeptCode& code);

}  // namespace kymo::events
