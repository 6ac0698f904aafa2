// Iterations found without marks: the rounds of a repeating sequence at a level, and how good a structure that is.
//
// The sequence of a level's occurrences in a stream is compressed into a grammar (grammar.h). The expansions of its
// rules, cut to the shortest sequence that repeats in them, are the candidates. A round begins at each occurrence of
// one of a candidate's symbols: the one whose rounds are the most even. Score = coverage of the streams' wall time ×
// (1 − variation of the gaps between begins). Variation is 1.4826 × median absolute deviation / median, not the
// coefficient of variation: one slow round in a hundred is what the analysis searches for, and must not hide that
// there are rounds.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_sequence.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct Round {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The repetition in one stream at one level.
struct Rounds {
    std::uint32_t anchor = kStreamEdge;  // rounds begin with occurrences of this node
    std::vector<Round> rounds;           // in time
    std::uint64_t covered_ns = 0;
    double evenness = 0;  // 1 − variation
};

inline constexpr std::size_t kLeastRounds = 4;

// Rounds by the anchor that is best for these streams together (one level's sequences); empty ones if nothing
// repeats. Parallel to `sequences`.
std::vector<Rounds> find_rounds(std::span<const OccurrenceSequence* const> sequences);

}  // namespace kymo::spacetime
