// Whether events recur every fixed number of rounds.
//
// Known are each stream's number of rounds, and the rounds with the event. The unevenness of the
// distances from one event to the next is their mean deviation from the stream's median distance, divided by that
// median; pooled over streams. The test is whether chance would be as even: under the null every choice of as many
// rounds of a stream is as likely as any other. The claim is about the order of rounds itself, so a shift of all
// labels (max_t.h) would keep what is tested. The number of events and of rounds of a stream, and that rounds are
// counted and not timed (so that slow stretches of the run change nothing), are all kept. Bunched events are
// uneven: they have no period.
#pragma once

#include "findings/statistics/random.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::findings {

inline constexpr std::size_t kRecurrencePermutations = 9999;  // one draws but a few numbers
inline constexpr std::uint32_t kLeastRounds = 3;              // rounds: with fewer, pieces of code take turns

struct RoundEvents {
    std::uint32_t rounds = 0;
    std::vector<std::uint32_t> at;  // ascending, distinct, each below `rounds`
};

struct Recurrence {
    std::uint32_t every = 0;  // the usual distance, in rounds: median over the streams that have one; 0: none
    double unevenness = 1;    // 0: all distances of a stream are the same
    double by_chance = 1;     // its mean under the null
    double p = 1;             // that chance is as even
};

// Streams with fewer than three events do not contribute. Draws at most `permutations`, fewer if chance soon does
// as well (Besag and Clifford 1991). Cost: permutations × events × log events.
Recurrence recurrence_test(std::span<const RoundEvents> streams, Random random,
                           std::size_t permutations = kRecurrencePermutations);

}  // namespace kymo::findings
