// Flows of an imported trace, for a terminal and as data (docs/json.md).
#pragma once

#include "spacetime/flows/flows.h"
#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kymo::view {

// A section with the `top` ones that took longest; empty: there are none.
std::string terminal_flows(const Style& style, const spacetime::Profile& profile,
                           const std::vector<spacetime::FlowSum>& flows, std::size_t top);

// The report's `flows`.
nlohmann::ordered_json json_flows(const spacetime::Profile& profile, const std::vector<spacetime::FlowSum>& flows);

}  // namespace kymo::view
