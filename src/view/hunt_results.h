// The results of a hunt, as text and as data.
#pragma once

#include "spacetime/hunt_results/hunt_results.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Empty if there was no hunt. `is_brief`: without instructions and call paths.
std::string terminal_hunt_results(const Style& style, const spacetime::HuntResults& results, std::size_t top,
                                  bool is_brief = false);

// The array `finds`, and the object `hunt` (null if there was none). Keys: docs/json.md.
nlohmann::ordered_json json_hunt_results(const spacetime::HuntResults& results);
nlohmann::ordered_json json_hunt(const spacetime::HuntResults& results);

// Why nothing more was found, or a note on a short run: one line, or empty.
std::string reach_of(const spacetime::HuntResults& results);

}  // namespace kymo::view
