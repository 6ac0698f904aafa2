// Code patterns: the same node next to different neighbours. A → S → B against C → S → D.
//
// For every occurrence of S with an occurrence before and one after in its stream: how often the three came so, how
// long S then took, and the counters' deltas over S. An occurrence at the edge of its stream has no neighbour on that
// side (kNone). Neighbours are occurrences at the same level; time at no node of interest is a neighbour too
// (kNone).
//
// Mergeable by stream: tables of parts of the streams added are the table of all, bit for bit. (A stream cut in time
// is joined at its runs, occurrences.h, before this.)
#pragma once

#include "spacetime/spaces/occurrences.h"

#include <cstdint>
#include <map>
#include <vector>

namespace kymo::spacetime {

struct PatternKey {
    std::uint32_t before = kNone;
    std::uint32_t node = kNone;
    std::uint32_t after = kNone;
    auto operator<=>(const PatternKey&) const = default;
};

struct PatternSums {
    DurationSums durations;  // of the occurrences of `node`
    std::uint64_t samples = 0;
    std::vector<std::int64_t> sums;  // by counter
    bool operator==(const PatternSums&) const = default;
};

class Patterns {
  public:
    // All occurrences of one stream. Cost: O(occurrences × log patterns).
    void add(const Stretches& occurrences);
    void merge(const Patterns& other);

    const std::map<PatternKey, PatternSums>& triples() const { return triples_; }  // A → S → B
    // The same with one side summed over: kNone in `after`, or in `before`.
    std::map<PatternKey, PatternSums> by_before() const;
    std::map<PatternKey, PatternSums> by_after() const;

    bool operator==(const Patterns&) const = default;

  private:
    std::map<PatternKey, PatternSums> triples_;
};

}  // namespace kymo::spacetime
