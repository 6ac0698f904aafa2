// Code spaces in words: their names in the tables for a terminal and in the page.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <string>
#include <string_view>

namespace kymo::view {

// "assemble", "loop in assemble", "loop nest in assemble", "rounds of loop in step", "mark “phase”".
std::string space_name(const spacetime::SpaceNode& node);
// The same, and the caller if several spaces have that name: "assemble (by solve)".
std::string telling_name(const spacetime::Evidence& evidence, spacetime::NodeIndex node);
// "fem.cpp:88–131"; nothing if no line is known.
std::string place_lines(const spacetime::Place& place, bool unicode = true);
// The same occurrences and nearly the same time as the space around it, like a function's only loop: a row of its own
// would repeat that one. Not so main loops and phases.
bool repeats_parent(const spacetime::Evidence& evidence, spacetime::NodeIndex node);
// Most of its processor time is that of threads that it created: its own occurrences took less.
bool is_of_created_threads(const spacetime::SpaceNode& node);
// Of a neighbour or a part of a gap: a node's name, "own code of step", "outside step", "begin", "end", "any".
std::string neighbour_name(const spacetime::Evidence& evidence, std::uint32_t neighbour, spacetime::NodeIndex node,
                           bool is_before);
// "mutex 0x55…", "sleep", … at its place.
std::string wait_words(const spacetime::WaitTarget& target);
std::string_view kind_key(spacetime::SpaceKind kind);
std::string_view rule_key(spacetime::PairCase rule);
// Whether the filter's text occurs in the function, the file or the module. An empty one passes everything.
bool passes(const spacetime::Place& place, std::string_view filter);

// The node's terms and counters as columns of a CostTable, for Metric.
std::vector<std::int64_t> cost_row(const spacetime::TimeTerms& terms, std::uint64_t samples,
                                   const std::vector<std::int64_t>& deltas);

}  // namespace kymo::view
