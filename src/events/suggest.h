// "Did you mean": the known names nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::events {

// Edits (insert, delete, replace a character, exchange two neighbours) from one to the other: optimal string
// alignment (Damerau, 1964), without regard to case. O(|a|·|b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

// At most `limit` names, nearest first, within a third of the name's length; also names of which `name` is a part.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> known, std::size_t limit = 3);

}  // namespace kymo::events
