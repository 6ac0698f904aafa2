// From counted pairs to heavy spaces and groups of same spaces.
#pragma once

#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/named_run.h"
#include "spacetime/evidence/occurrences/span_pass.h"
#include "spacetime/spaces/space_table.h"

#include <vector>

namespace kymo::spacetime {

struct Weighing : HeavyOfPairs {
    SpaceTable table;
    std::vector<std::size_t> heavy;              // indices of table.spaces, heaviest first: heavy_with_same()
    std::vector<std::vector<std::size_t>> same;  // groups of same spaces, of indices of `heavy`
    // By number of sampled address: share of the whole weight that pairs ending there have, for one sample.
    std::vector<double> weight_of_address;
};

Weighing weigh_pairs(const Profile& profile, const SampledAddresses& addresses, const PairTable& pairs, CodeMap& code,
                     Share share, Share overlap);

// `times`: parallel to weighing.heavy. `nodes`: to find the one that holds a space.
std::vector<HeavySpace> make_heavy_spaces(const Profile& profile, const Weighing& weighing, const SpanPass& times,
                                          const std::vector<SpaceNode>& nodes, const Names& names);

// Counts in the code of `spaces`, of this recording or another one of the program. Cost: spaces × all pairs'
// spaces of the image.
std::vector<CodeSums> sum_code(const Profile& profile, const SpaceTable& table,
                               const std::vector<HeavySpace>& spaces);

// `same`: Weighing's.
std::vector<SameSpaces> make_same_spaces(std::vector<HeavySpace>& spaces,
                                         const std::vector<std::vector<std::size_t>>& same,
                                         const std::vector<SpaceNode>& nodes);

}  // namespace kymo::spacetime
