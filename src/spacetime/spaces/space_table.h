// Code spaces with their weights, from pair counts: the first of Part 2's collections.
//
// A space is identified by its image and its byte ranges (and whether it is an uncertain rest); pairs with
// the same space are one row. Weight W = Σ instructions × occurrences. A pair's deltas are divided among its spaces
// in proportion to their instructions, the remainder to the last, so that every counter's sum over all spaces is its
// sum over all samples.
//
// To merge, merge the PairCounts and weigh again: bit for bit the whole, at the cost of a row a distinct pair.
#pragma once

#include "base/index.h"
#include "spacetime/spaces/pair_counts.h"
#include "spacetime/spaces/pair_rule.h"
#include "spacetime/spaces/share.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kymo::spacetime {

struct WeighedSpace {
    std::uint32_t image = 0;   // the caller's number of the image (one build id, one number)
    CodeSpace space;           // of the first pair with it
    std::uint64_t weight = 0;  // kInstruction each
    std::uint64_t occurrences = 0;
    std::vector<std::int64_t> sums;  // by counter
    PairCase rule = PairCase::kNoPath;
};

// The spaces of a pair: at most two.
struct SpacesOfPair {
    std::uint32_t first = kNone;  // indices of SpaceTable::spaces; kNone: none
    std::uint32_t second = kNone;
    std::uint32_t first_share = 65536;  // of the pair's deltas, in 65536ths; the rest is the second's
};

struct SpaceTable {
    std::vector<WeighedSpace> spaces;  // by image, ranges, certain before uncertain
    std::uint64_t total_weight = 0;
    // By function and block: instructions executed there (kInstruction each), for the hierarchy.
    std::vector<std::vector<std::uint64_t>> block_weight;
    std::vector<SpacesOfPair> of_pair;  // by row of the counts

    // Indices of the spaces with more than this share of the weight, heaviest first.
    std::vector<std::size_t> heavier_than(Share share = percent(1)) const;
};

struct KnownFunction {
    std::uint32_t image = 0;
    PairRule* rule = nullptr;  // null: its code is not available; its addresses are spaces of one instruction
};

// `functions`: by the number used in the counts. `no_function_image`: the image of addresses in no function.
SpaceTable weigh(const PairCounts& counts, const std::vector<KnownFunction>& functions,
                 std::uint32_t no_function_image = kNone);

}  // namespace kymo::spacetime
