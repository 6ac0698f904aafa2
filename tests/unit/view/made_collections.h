// Evidence made by hand of a program "app": two pieces of its own code, a library's code, heavy code, gaps and
// patterns with a page fault counter, and a finding about two slow occurrences.
#pragma once

#include "findings/finding.h"
#include "spacetime/evidence/evidence.h"

#include <string>
#include <utility>

namespace kymo::made {

inline constexpr std::uint64_t kMilli = 1'000'000;
inline constexpr std::uint64_t kBegin = 1'000'000'000;

inline spacetime::SpaceNode made_node(const std::string& function, const std::string& module, std::uint32_t line) {
    spacetime::SpaceNode node;
    node.place.function = function;
    node.place.module = module;
    node.place.file = function + ".cpp";
    node.place.line_begin = line;
    node.place.line_end = line + 4;
    node.path = {"main", function};
    node.median_samples = 20;
    node.rows = spacetime::OccurrenceTable(1);
    return node;
}

// At `at` ms, `ms` long; `faults` in it and `gap_faults` in the gap before it.
inline void add_occurrence(spacetime::SpaceNode& node, std::uint32_t thread, std::uint64_t at, std::uint64_t ms,
                           std::int64_t faults, std::int64_t gap_faults, std::uint32_t before, std::uint32_t after) {
    spacetime::OccurrenceTable& rows = node.rows;
    const bool is_first = rows.size() == 0 || rows.thread.back() != thread;
    const std::uint64_t begin = kBegin + at * kMilli;
    rows.order.push_back(is_first ? 0 : rows.order.back() + 1);
    rows.gap_terms.push_back({.waiting = is_first ? 0 : static_cast<std::int64_t>(begin - rows.end.back())});
    rows.gap_deltas.push_back(is_first ? 0 : gap_faults);
    rows.thread.push_back(thread);
    rows.begin.push_back(begin);
    rows.end.push_back(begin + ms * kMilli);
    rows.terms.push_back({.user = static_cast<std::int64_t>(ms * kMilli)});
    rows.deltas.push_back(faults);
    rows.before.push_back(before);
    rows.after.push_back(after);
    ++node.occurrences;
    node.durations.add(ms * kMilli);
    node.total.user += static_cast<std::int64_t>(ms * kMilli);
}

inline spacetime::CodePattern made_pattern(std::uint32_t before, std::uint32_t node, std::uint32_t after,
                                           std::uint64_t count, std::uint64_t ms, std::int64_t faults) {
    spacetime::CodePattern pattern;
    pattern.before = before;
    pattern.node = node;
    pattern.after = after;
    for (std::uint64_t i = 0; i < count; ++i) {
        pattern.durations.add(ms * kMilli);
    }
    pattern.deltas = {faults};
    return pattern;
}

inline spacetime::LongGap made_gap(std::uint64_t at, std::uint64_t ms, std::int64_t faults, std::uint32_t filled) {
    spacetime::LongGap gap;
    gap.begin = kBegin + at * kMilli;
    gap.end = kBegin + (at + ms) * kMilli;
    gap.filled = {{filled, static_cast<std::int64_t>(ms * kMilli)}};
    gap.deltas = {faults};
    return gap;
}

// Nodes: 0 step, 1 rest (both of app), 2 memmove of a library, inside step.
inline spacetime::Evidence made_collections() {
    using namespace spacetime;
    Evidence made;
    made.run.begin = kBegin;
    made.run.end = kBegin + 1000 * kMilli;
    made.run.counters = {"page-faults"};
    made.run.total.user = static_cast<std::int64_t>(1000 * kMilli);
    made.run.deltas = {600};
    made.run.threads.resize(1);
    made.run.threads[0].name = "worker";
    made.run.processes.resize(1);
    made.run.processes[0].name = "app";
    made.nodes = {made_node("step", "app", 10), made_node("rest", "app", 30), made_node("memmove", "libc.so.6", 50)};
    for (const auto& [at, ms, faults] :
         {std::tuple{0, 10, 1}, {100, 50, 40}, {200, 10, 2}, {500, 60, 50}, {600, 10, 3}}) {
        add_occurrence(made.nodes[0], 0, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(ms), faults, 7,
                       faults > 10 ? 1 : kOutside, kStreamEdge);
    }
    made.nodes[0].deltas = {96};
    made.nodes[2].parent = NodeIndex(0);
    SpaceIntervals intervals;
    intervals.median_gap_ns = 90 * kMilli;
    for (const std::uint64_t ms : {90, 50, 290, 40}) {
        intervals.gaps.add(ms * kMilli);
    }
    intervals.longest = {made_gap(210, 290, 100, 1), made_gap(10, 90, 0, kOutside)};
    intervals.longest[0].waits = {{0, static_cast<std::int64_t>(200 * kMilli)}};
    intervals.longest[1].terms.run_queue = static_cast<std::int64_t>(30 * kMilli);
    intervals.gap_deltas = {120};
    made.wait_targets.resize(1);
    made.wait_targets[0].kind = recording::WaitKind::kSleep;
    made.wait_targets[0].place.function = "rest";
    made.intervals = {intervals};
    made.patterns = {made_pattern(1, 0, kStreamEdge, 2, 55, 90), made_pattern(kOutside, 0, 1, 3, 10, 6),
                     made_pattern(kAnyNeighbour, 0, 1, 3, 10, 6)};

    HeavySpace own;
    own.place = made.nodes[0].place;
    own.place.line_begin = 12;
    own.weight = 0.3;
    own.time_share = 0.6;
    own.time_low = 0.55;
    own.time_high = 0.65;
    own.stall = 2;
    own.occurrences = 600;
    own.node = NodeIndex(0);
    own.same = 1;
    HeavySpace same = own;
    same.place.line_begin = 13;
    same.weight = 0.1;
    same.occurrences = 100;
    HeavySpace library = own;
    library.place = made.nodes[2].place;
    library.weight = 0.4;
    library.stall = 0.5;
    library.time_share = 0.2;
    library.uncertain = true;
    library.node = NodeIndex(2);
    library.same = 0;
    made.spaces = {library, own, same};
    SameSpaces alone;
    alone.members = {0};
    alone.weight = 0.4;
    alone.time_share = 0.2;
    alone.occurrences = 600;
    alone.node = NodeIndex(2);
    alone.deltas = {100};
    SameSpaces pair;
    pair.members = {1, 2};
    pair.overlap = 0.92;
    pair.weight = 0.4;
    pair.time_share = 0.6;
    pair.occurrences = 700;
    pair.node = NodeIndex(0);
    pair.deltas = {400};
    pair.life.occurrences = 3;
    pair.life.median_samples = 30;
    for (const std::uint64_t ms : {100, 100, 300}) {
        pair.life.durations.add(ms * kMilli);
    }
    pair.gaps.gaps.add(20 * kMilli);
    pair.gaps.gaps.add(250 * kMilli);
    pair.gaps.median_gap_ns = 20 * kMilli;
    pair.gaps.longest = {made_gap(400, 250, 30, 0)};
    pair.gaps.gap_deltas = {32};
    pair.patterns = {made_pattern(0, 1, kOutside, 1, 300, 70), made_pattern(kOutside, 1, 0, 2, 100, 20)};
    made.same_spaces = {alone, pair};
    return made;
}

// Two slow occurrences of step.
inline findings::Finding made_slow_finding() {
    findings::Finding finding;
    finding.kind = "page-faults";
    finding.title = "2 of the 5 occurrences of `step` take 5× longer.";
    finding.node = findings::NodeIndex(0);
    finding.when = {{kBegin + 100 * kMilli, kBegin + 150 * kMilli}, {kBegin + 500 * kMilli, kBegin + 560 * kMilli}};
    finding.threads = {0};
    return finding;
}

}  // namespace kymo::made
