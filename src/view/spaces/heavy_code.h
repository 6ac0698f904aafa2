// Heavy code in words and order: its place, and the function of the program's own that it is in.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

// Of the program itself: in the image of one of its processes, and not of the language's library.
bool is_own(const spacetime::Evidence& evidence, const spacetime::Place& place);
// The innermost kept piece of the program's own code that contains most of a group of same spaces, if the group
// itself is not the program's own; else kNone.
spacetime::NodeIndex own_code_around(const spacetime::Evidence& evidence, const spacetime::SameSpaces& group);

// Indices of Evidence::same_spaces with a member that passes the filter, heaviest first; of equal weight (as it is
// shown) the program's own code first.
std::vector<std::uint32_t> groups_by_weight(const spacetime::Evidence& evidence, std::string_view filter);

// The known time in it, for EventRates: the share of the run's user time.
spacetime::TimeTerms user_time(const spacetime::Evidence& evidence, const spacetime::SameSpaces& group);

// "select_values story.cpp:112–117"; of a library: "fill story.cpp:34–40 › memmove".
std::string heavy_name(const spacetime::Evidence& evidence, const spacetime::HeavySpace& space, bool unicode = true);
std::string group_name(const spacetime::Evidence& evidence, const spacetime::SameSpaces& group, bool unicode = true);
// Name of a neighbour of a group or a part of its gap: a group's name, "(begin)", "(end)", "(any)", "(elsewhere)".
std::string group_neighbour_name(const spacetime::Evidence& evidence, std::uint32_t group, bool is_before,
                                 bool unicode = true);

}  // namespace kymo::view
