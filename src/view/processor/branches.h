// Code that ran and branches that were taken, as the processor's branch stacks show it: for a terminal, and as data
// (docs/json.md).
#pragma once

#include "spacetime/branches/branches.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// A section with `top` rows of each table; empty: there are no branch stacks.
std::string terminal_branches(const Style& style, const spacetime::Branches& branches, std::size_t top);

// The report's `branches`.
nlohmann::ordered_json json_branches(const spacetime::Branches& branches);

}  // namespace kymo::view
