// The four collections as data: keys as in docs/json.md.
#pragma once

#include "spacetime/branches/branches.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace kymo::view {

// A place, as in every table of the report.
nlohmann::ordered_json json_place(const spacetime::Place& place);

// Parts that all tables of the report share: an event's name → its count, the time identity, a neighbour by the id
// of its space and in words.
nlohmann::ordered_json json_events(const spacetime::Evidence& evidence, std::span<const std::int64_t> deltas);
nlohmann::ordered_json json_terms(const spacetime::TimeTerms& terms);
nlohmann::ordered_json json_neighbour(const spacetime::Evidence& evidence, std::uint32_t neighbour,
                                      spacetime::NodeIndex node, bool is_before);

nlohmann::ordered_json json_spaces(const spacetime::Evidence& evidence);
// `branches`: as of terminal_spaces().
nlohmann::ordered_json json_same_spaces(const spacetime::Evidence& evidence,
                                        const spacetime::Branches& branches = {});
nlohmann::ordered_json json_intervals(const spacetime::Evidence& evidence);
nlohmann::ordered_json json_patterns(const spacetime::Evidence& evidence);

}  // namespace kymo::view
