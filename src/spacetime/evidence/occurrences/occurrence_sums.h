// Sums of the occurrences of all kept nodes. Adding is exact, and independent of the order: sums of parts of the
// streams merged are those of all.
#pragma once

#include "spacetime/evidence/collections.h"
#include "spacetime/evidence/kept_nodes.h"
#include "spacetime/evidence/occurrences/occurrence_sample.h"
#include "spacetime/evidence/occurrences/occurrence_sequence.h"
#include "spacetime/evidence/occurrences/occurrence_table.h"
#include "spacetime/evidence/occurrences/pattern_table.h"
#include "team/members.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace kymo::spacetime {

// How many occurrences had each number of samples: exact below 64, then by octave.
class SampleHistogram {
  public:
    void add(std::uint64_t samples);
    void merge(const SampleHistogram& other);
    std::uint64_t median() const;  // of an octave its lower end; 0 if there is none

  private:
    std::array<std::uint64_t, 64> small_{};
    std::array<std::uint64_t, 64> octave_{};
};

struct GapRecord {
    std::uint32_t thread = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    SumRow sums;
    std::vector<OccurrenceWait> waits;
    std::vector<GapPart> filled;
};
KYMO_MEMBERS(GapRecord, thread, begin, end, sums, waits, filled)
inline constexpr std::size_t kLongestGaps = 8;

struct NodeSums {
    SumRow own;  // while no kept child was visited
    std::map<std::uint32_t, std::int64_t> own_waits;
    std::map<std::uint32_t, WorkSums> own_work;  // by thread: of own
    std::uint64_t occurrences = 0;
    DurationSums durations;
    SampleHistogram samples;
    std::vector<std::uint32_t> threads;
    DurationSums gaps;
    SumRow gap_sums;
    std::vector<GapRecord> longest;  // at most kLongestGaps, longest first
    OccurrenceSample sample;

    // Whether a gap of this length may be among the longest so far: of equally long ones add_long() decides.
    bool is_long(std::uint64_t ns) const {
        return longest.size() < kLongestGaps || ns >= longest.back().end - longest.back().begin;
    }
    void add_long(GapRecord gap);
};
KYMO_MEMBERS(NodeSums, own, own_waits, own_work, occurrences, durations, samples, threads, gaps, gap_sums, longest,
             sample)

struct OccurrenceSums {
    std::vector<NodeSums> nodes;  // by kept node
    PatternTable patterns;
    // (level, thread) → order of its occurrences; level: a kept node, or the number of kept nodes for the top.
    std::map<std::pair<std::uint32_t, std::uint32_t>, OccurrenceSequence> sequences;

    void merge(OccurrenceSums&& other, std::size_t occurrence_cap);
};
KYMO_MEMBERS(OccurrenceSums, nodes, patterns, sequences)

}  // namespace kymo::spacetime
