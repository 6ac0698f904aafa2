// Writing the file `kept`: the outside half of events/kept_code.h, where the format is described.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kymo::events {

struct CodeOfImage {
    std::string build_id;                                              // raw bytes
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges = {};  // offsets, end exclusive; in any order
};

// The result parses back to ranges that contain all the given ones. If there are more than fit, those nearest to
// each other are joined with the gap between. Images without a build id, without ranges or beyond kMaxKeptImages
// are left out. `events`: bit i: event i of the session.
std::string format_kept_code(std::uint32_t events, std::span<const CodeOfImage> images);

}  // namespace kymo::events
