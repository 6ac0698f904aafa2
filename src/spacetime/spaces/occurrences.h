// Occurrences in time: the nodes that one stream visited, when, for how long, and the gaps between.
//
// Two stages. *Runs* are the maximal sequences of consecutive samples at one node, without exceptions: they
// concatenate, so a stream cut anywhere gives the same runs, bit for bit. *Occurrences* are made from the runs of a
// whole stream: an interruption of few samples between two long stretches of the same node (a signal handler, one
// sample attributed to the wrong place) is bridged and its time and counts belong to the occurrence around it. Time
// at none of the nodes of interest is not bridged: a sample at one of them was there.
//
// Each sample covers the time since the one before it. So occurrences and the samples at no node partition the
// stream: durations and deltas add up to the whole exactly. An occurrence's begin and end are known to one period
// each.
#pragma once

#include "base/index.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// `node`: the one that the call path passes through at this level; kNone: none of the nodes of interest.
struct StreamSample {
    std::uint64_t begin = 0;  // ns: time of the sample before, or the stream's begin
    std::uint64_t time = 0;   // ns
    std::uint32_t node = kNone;
    std::span<const std::int64_t> deltas = {};  // of each counter over [begin, time]
};

// Rows of runs or occurrences of one stream, in time.
struct Stretches {
    explicit Stretches(std::size_t counter_count = 0) : counters(counter_count) {}
    std::size_t counters;
    std::vector<std::uint32_t> node;
    std::vector<std::uint64_t> begin;  // ns
    std::vector<std::uint64_t> end;    // ns, of the last sample
    std::vector<std::uint64_t> samples;
    std::vector<std::uint64_t> bridged;  // of these, samples of interruptions; 0 in runs
    std::vector<std::int64_t> sums;      // row by row

    std::size_t size() const { return node.size(); }
    std::uint64_t duration(std::size_t row) const { return end[row] - begin[row]; }
    std::span<const std::int64_t> sums_of(std::size_t row) const {
        return std::span(sums).subspan(row * counters, counters);
    }
    bool operator==(const Stretches&) const = default;
};

// Adds a sample to a stream's runs. Precondition: samples come in time; deltas.size() == counters. O(counters).
void add_sample(Stretches* runs, const StreamSample& sample);
// Appends the runs of a later part of the same stream. Linear in `later`.
void append(Stretches* runs, const Stretches& later);

struct BridgeRule {
    std::uint64_t samples = 1;  // longest interruption
    std::uint64_t sides = 4;    // runs beside it have at least this many samples: a real alternation is not bridged
};
// Linear in runs.
Stretches occurrences(const Stretches& runs, const BridgeRule& rule = {});

struct Gap {
    std::size_t before = 0;  // the row before the gap
    std::size_t after = 0;   // the next occurrence of the same node
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// For one node, in time: from each occurrence's end to the next one's begin. The rows between fill a gap.
std::vector<Gap> gaps(const Stretches& occurrences, std::uint32_t node);

// Sums over many gaps or occurrences; adding is exact and independent of the order.
struct DurationSums {
    std::uint64_t count = 0;
    std::uint64_t total = 0;  // ns
    std::uint64_t shortest = ~std::uint64_t{0};
    std::uint64_t longest = 0;
    std::array<std::uint64_t, 64> by_octave{};  // [i]: 2ⁱ ≤ ns < 2ⁱ⁺¹; 0 counts in [0]

    void add(std::uint64_t ns);
    void merge(const DurationSums& other);
    bool operator==(const DurationSums&) const = default;
};

}  // namespace kymo::spacetime
