// The address space of each process over time: for a terminal, and as data (docs/json.md).
#pragma once

#include "spacetime/address_map/address_map.h"
#include "spacetime/profile/profile.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// A table a process, of its largest areas; says so where nothing is known.
std::string terminal_address_map(const Style& style, const spacetime::Profile& profile,
                                 const spacetime::AddressMap& map, std::size_t top);

// The report's `address_map`.
nlohmann::ordered_json json_address_map(const spacetime::Profile& profile, const spacetime::AddressMap& map);

}  // namespace kymo::view
