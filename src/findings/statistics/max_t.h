// Which features distinguish labelled occurrences from the others, under a null that respects time order.
//
// Consecutive occurrences are alike, so their labels must not be shuffled one by one: on labelled data that alarms
// in most blocks where nothing is wrong. Two nulls:
//
// - *circular shifts*: within each stream all labels are moved by one random distance, cyclically. Keeps the
//   labels' own order and the features' autocorrelation, breaks their relation. For labels found from durations.
// - *paired signs*: each labelled occurrence is paired with the nearest unlabelled one of its stream; under the
//   null either of the two could be the labelled one. For labels that alternate regularly, which shifts would only
//   map onto themselves.
//
// The statistic of a feature is the rank sum of the labelled ones, standardised (ties included), either way; the
// p-values are those of the step-down maximum over the features (Westfall and Young 1993, as in Ge, Dudoit and
// Speed 2003): P(any false alarm among the features) ≤ alpha. p = (1 + hits) / (1 + permutations); if a single
// stream has fewer shifts than the requested permutations, each shift is used once and p = hits / shifts.
//
// Drawing ends early once chance did as well as the best feature kEnoughHits times (sequential Monte-Carlo
// p-values: Besag and Clifford 1991): soon, if there is nothing to find; small p-values get all permutations. The
// p-values are valid either way, a large one is just less exact (± 18 %).
//
// Work: features × (occurrences × log occurrences + labelled × permutations); permutations are cut so that this
// stays under kMostWork. Paired signs are summed eight pairs at a time: about a quarter of that.
#pragma once

#include "findings/statistics/random.h"
#include "findings/statistics/robust.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::findings {

inline constexpr std::size_t kPermutations = 1999;
inline constexpr std::size_t kLeastPermutations = 199;
inline constexpr std::size_t kMostWork = 40'000'000;  // per call: well under a tenth of a second
inline constexpr std::size_t kEnoughHits = 30;
inline constexpr std::size_t kAllHits = ~std::size_t{0};  // never end early

struct Labelled {
    std::span<const std::uint32_t> stream;  // occurrences by stream, then in time
    std::span<const char> label;
    // Feature by feature, one value an occurrence. NaN is "not known": counts as the feature's median.
    std::span<const std::vector<double>> features;
    bool is_ranked = false;  // `features` are standard_ranks() already: so that several labellings share the sorting
};

struct FeatureTest {
    double statistic = 0;  // standardised rank sum: > 0 if labelled ones have more
    double p = 1;          // of this feature alone
    double adjusted = 1;   // of the maximum over features
};

struct MaxT {
    std::vector<FeatureTest> features;
    double p = 1;        // of the best feature, adjusted: is there any difference at all?
    double least_p = 1;  // the smallest p that this many occurrences allow
    std::size_t permutations = 0;
};

// `enough`: hits of the best feature after which drawing ends.
MaxT shift_test(const Labelled& occurrences, Random random, std::size_t permutations = kPermutations,
                std::size_t enough = kEnoughHits);
MaxT pair_test(const Labelled& occurrences, Random random, std::size_t permutations = kPermutations,
               std::size_t enough = kEnoughHits);

// Ranks centred on 0, ties sharing theirs, scaled so that their squares add up to one less than their number; NaN
// ranks as the median. O(n log n).
std::vector<double> standard_ranks(std::span<const double> values);
// The same from the values' balances (robust.h), none of which may be unknown. O(n).
std::vector<double> standard_ranks(std::span<const std::int32_t> balances);

// The labels after one random circular shift in each stream: for the control.
std::vector<char> shifted_labels(std::span<const std::uint32_t> stream, std::span<const char> label, Random* random);
// Labels in any order, within each stream.
std::vector<char> exchanged_labels(std::span<const std::uint32_t> stream, std::span<const char> label,
                                   Random* random);

}  // namespace kymo::findings
