// The occurrences, or gaps, of a piece of code that a finding counted, found again by the finding's times and
// threads.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::view {

enum class CountedKind : std::uint8_t {
    kNone,         // the finding is not about code whose occurrences are kept
    kOccurrences,  // each of the times is an occurrence, or has occurrences in it
    kGaps,         // each of the times is a gap
    kAround,       // each of the times lies in an occurrence, or behind it before the next one
    kAll,          // the finding has no times: it is about all occurrences
};

struct CountedOccurrences {
    CountedKind kind = CountedKind::kNone;
    spacetime::NodeIndex node;  // of the occurrences
    // Rows of the node's OccurrenceTable by thread, then in time; for a gap the row behind it.
    std::vector<std::size_t> counted;
    std::vector<std::size_t> others;  // on the finding's threads
};

CountedOccurrences counted_occurrences(const spacetime::Evidence& evidence, const findings::Finding& finding);

// One of them, as an occurrence: for a gap the gap's own times, terms and counts.
struct CountedRow {
    std::uint64_t number = 0;  // from 1, among the occurrences of its thread; of a gap the occurrence behind it
    std::uint32_t thread = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    spacetime::TimeTerms terms = {};
    std::span<const std::int64_t> deltas = {};  // by counter
    std::uint32_t before = 0;  // neighbours at the same level; of a gap, what it begins and ends with
    std::uint32_t after = 0;
};
CountedRow counted_row(const spacetime::Evidence& evidence, const CountedOccurrences& occurrences, std::size_t row);

// The longest of them, up to a limit, in time; and as many of the others, spread over them evenly.
std::vector<std::size_t> longest_counted(const spacetime::Evidence& evidence, const CountedOccurrences& occurrences,
                                         std::size_t most);
std::vector<std::size_t> some_others(const CountedOccurrences& occurrences, std::size_t most);

std::string_view counted_key(CountedKind kind);  // of docs/json.md

}  // namespace kymo::view
