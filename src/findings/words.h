// The words of findings. English sentences for the user: numbers with units, names as in the source.
#pragma once

#include "findings/cases/case.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kymo::findings {

// "`assemble` (fem.cpp:88–131)"; without lines "`assemble`"; nothing known: "code without a name".
std::string name(const spacetime::Place& place);
std::string name(const spacetime::Evidence& evidence, NodeIndex node);
// "fem.cpp:101", "" if the line is not known.
std::string at_line(std::string_view file, std::uint32_t line);
// Neighbours that are not nodes have words as well.
std::string neighbour_name(const spacetime::Evidence& evidence, std::uint32_t neighbour);
// "`worker` (thread 1234)", "rank 3"; a list: "3 threads", "4 ranks".
std::string thread_name(const spacetime::Evidence& evidence, std::uint32_t thread);
// First threads of ranks, all of them.
bool are_ranks(const spacetime::Evidence& evidence, std::span<const std::uint32_t> threads);
// A verb for thread_names(): "wait" for several, "waits" for one. Regular ones only.
std::string does(std::span<const std::uint32_t> threads, std::string_view several);
std::string thread_names(const spacetime::Evidence& evidence, std::span<const std::uint32_t> threads);
// "mutex at `f` (a.c:12), held by `worker` (thread 7)".
std::string target_name(const spacetime::Evidence& evidence, std::uint32_t target);

std::string in_seconds(double ns);     // "2.1 s", "130 ms", "45 µs"
std::string in_percent(double share);  // "38 %", "0.6 %"
std::string times(double ratio);       // "9×", "1.4×", "410×"
std::string number(double value);      // "19,872", "1.4"
// "once", "3 times".
std::string how_often(std::uint64_t count);

// The name of a row's quantity: "page-faults", "seconds waiting", "seconds of user time", "share of …".
std::string words_of(const EvidenceRow& row);

// The subject of a case: its node, or the addresses of its group.
std::string name_of(const Case& subject);

// The place of most of a counter's change in the node: "all at fem.cpp:101", "73 % at fem.cpp:101"; "" if no line has
// half.
std::string mostly_at(const spacetime::SpaceNode& node, CounterIndex counter);

// "6 of the 120 occurrences of `assemble` (…) take 9.0× longer than the rest (90 ms against 10 ms)": of kOccurrences.
std::string slow_words(const Case& subject);

// "94 % of the excess is waiting (mutex at …)": the parts that make up most of a case's excess; "" without any.
std::string account_words(const Case& subject);

}  // namespace kymo::findings
