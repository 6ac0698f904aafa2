// Occurrences with their features: the rows by which slow and fast ones are distinguished.
//
// Columns, one row an occurrence; rows by stream, then by begin. Times are nanoseconds of the run's clock. The terms
// are the time identity of each occurrence: user + system + run_queue + waiting + other = end − begin, exactly. Of
// a node with very many occurrences a uniform sample is kept (reservoir); a node's sums are exact whatever was
// kept (node.h).
#pragma once

#include "base/index.h"
#include "recording/tables.h"
#include "spacetime/profile/wait_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// Wall time, split exactly. Signed: a single interval may be off by some hundred nanoseconds (costs.h).
struct TimeTerms {
    std::int64_t user = 0;
    std::int64_t spinning = 0;  // on a processor in the program, inside a recorded wait: polling
    std::int64_t system = 0;
    std::int64_t run_queue = 0;  // ready to run, but another had the processor
    std::int64_t waiting = 0;    // in a recorded wait: OccurrenceTable::waits has its target
    std::int64_t other = 0;      // off the processor for an unknown reason (or measurement was off)

    std::int64_t wall() const { return user + spinning + system + run_queue + waiting + other; }
    // Whether most of it is recorded waits, which are known to the nanosecond without samples. Time without a
    // processor counts on neither side: its length depends on the machine and its other programs, not on the
    // program's.
    bool mostly_waits() const { return waiting + spinning > user + system; }
    TimeTerms& operator+=(const TimeTerms& more);
    bool operator==(const TimeTerms&) const = default;
};

// ns on processors, without polling.
struct WorkSums {
    std::int64_t user = 0;
    std::int64_t system = 0;

    std::int64_t all() const { return user + system; }
    WorkSums& operator+=(const WorkSums& more) {
        user += more.user;
        system += more.system;
        return *this;
    }
    bool operator==(const WorkSums&) const = default;
};

struct ThreadWork {
    std::uint32_t thread = 0;
    WorkSums ns;
};

// A wait's object, place and holder. Rows of Evidence::wait_targets, each once.
struct WaitTarget {
    std::uint32_t process = 0;  // index of Profile::processes
    recording::WaitKind kind{};
    std::uint64_t object = 0;
    program::SourcePlace place;    // of the wait
    std::uint32_t holder = kNone;  // index of Profile::threads; kNone: not known
    bool is_pythons = false;       // CPython's own code waits there, for whatever it runs
    auto operator<=>(const WaitTarget&) const = default;
};

// All waits for one target, over the run.
// Ends of a wait before which the thread cannot have done anything but look.
inline constexpr std::uint64_t kAtOnce = 5'000;  // ns

struct WaitSum {
    std::int64_t ns = 0;
    std::uint64_t count = 0;
    std::int64_t longest_ns = 0;
    std::int64_t held_up_ns = 0;         // of `ns`, in which the one waited for lacked a processor
    std::uint64_t in_vain = 0;           // of `count`: the thread waits again for the same within kAtOnce of the end
    program::SourcePlace holder_place;   // where the holder was longest meanwhile; empty: not known
    recording::WaitKind holder_doing{};  // the wait that it was in there; 0: on a processor
};

struct OccurrenceWait {
    std::uint32_t target = 0;  // index of Evidence::wait_targets
    std::int64_t ns = 0;
    bool operator==(const OccurrenceWait&) const = default;
};

// Neighbours that are not nodes.
constexpr std::uint32_t kStreamEdge = kNone;          // the stream begins or ends here
constexpr std::uint32_t kOutside = 0xfffffffeU;       // the stream is not in the level's parent at all
constexpr std::uint32_t kAnyNeighbour = 0xfffffffcU;  // of patterns: summed over all
constexpr std::uint32_t kParentItself = 0xfffffffdU;  // the parent's own code, or children too small to be kept

struct OccurrenceTable {
    explicit OccurrenceTable(std::size_t counter_count = 0) : counters(counter_count) {}

    std::size_t counters;               // Profile::events
    std::vector<std::uint32_t> thread;  // index of Profile::threads: the stream
    std::vector<std::uint64_t> begin;   // ns; known to ± one sampling period, unless a wait or mark gives it exactly
    std::vector<std::uint64_t> end;
    std::vector<std::uint64_t> samples;
    std::vector<std::uint64_t> bridged;  // of these, samples of short interruptions
    std::vector<TimeTerms> terms;
    std::vector<std::uint32_t> first_wait;  // rows + 1 entries: waits of row r are [first_wait[r], first_wait[r + 1])
    std::vector<OccurrenceWait> waits;      // most time first within a row; adds up to terms.waiting
    std::vector<std::int64_t> deltas;       // counter by counter, row by row
    std::vector<std::uint32_t> processor;   // of its first sample
    std::vector<std::uint32_t> migrations;  // changes of processor between its samples
    std::vector<std::uint32_t> before;      // node at the same level: index of Evidence::nodes, or kStreamEdge, …
    std::vector<std::uint32_t> after;
    std::vector<std::uint32_t> order;  // 0, 1, … among all the node's occurrences in its stream, kept or not
    // The gap before it: since the end of the occurrence before it in its stream, kept or not. 0 for the first.
    std::vector<TimeTerms> gap_terms;
    std::vector<std::int64_t> gap_deltas;  // counter by counter, row by row
    std::vector<std::int64_t>
        ready_before;                   // ns for which the stream lacked a processor until this occurrence's begin
    std::vector<std::int64_t> held_up;  // ns of its waits, at most, for which the one waited for lacked a processor
    std::vector<std::int64_t> taken;    // ns, estimated, in which its processor was away unreported: late_ticks.h
    std::vector<std::uint32_t> step;    // iteration of the level's loop that it lies in; kStreamEdge: none
    std::vector<float> active_threads;  // mean number of the process's threads at work meanwhile (on a processor or
                                        // ready for one, not polling in a wait); NaN: not known
    std::vector<double> progress;       // user ns that its loops' rounds, by registers, usually take; NaN: not known

    std::size_t size() const { return thread.size(); }
    std::uint64_t duration(std::size_t row) const { return end[row] - begin[row]; }
    std::span<const std::int64_t> deltas_of(std::size_t row) const {
        return std::span(deltas).subspan(row * counters, counters);
    }
    std::span<const std::int64_t> gap_deltas_of(std::size_t row) const {
        return std::span(gap_deltas).subspan(row * counters, counters);
    }
    std::span<const OccurrenceWait> waits_of(std::size_t row) const {
        return std::span(waits).subspan(first_wait[row], first_wait[row + 1] - first_wait[row]);
    }
};

}  // namespace kymo::spacetime
