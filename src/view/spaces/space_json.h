// The four collections as data: keys as in docs/json.md.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <nlohmann/json.hpp>

namespace kymo::view {

// A place as every table of the report has it.
nlohmann::ordered_json json_place(const spacetime::Place& place);

nlohmann::ordered_json json_spaces(const spacetime::Evidence& evidence);
nlohmann::ordered_json json_same_spaces(const spacetime::Evidence& evidence);
nlohmann::ordered_json json_intervals(const spacetime::Evidence& evidence);
nlohmann::ordered_json json_patterns(const spacetime::Evidence& evidence);

}  // namespace kymo::view
