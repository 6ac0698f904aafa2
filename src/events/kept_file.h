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

// What is returned parses back to ranges that hold all that is given here. Where there are more of them than fit,
// those nearest to each other are joined with what lies between. Images without a build id, without ranges or beyond
// kMaxKeptImages are left out.
// `events`: bit i: event i of the session.
std::string format_kept_code(std::uint32_t events, std::span<const CodeOfImage> images);

}  // namespace kymo::events
