// How small could the excess of the slow occurrences be? A lower bound by bootstrap over occurrences (Efron 1979).
#pragma once

#include "findings/statistics/random.h"

#include <cstddef>
#include <span>

namespace kymo::findings {

struct LowerBoundOptions {
    double confidence = 0.95;  // one-sided
    std::size_t rounds = 400;
    std::size_t most_values = 512;  // larger samples are reduced to this many of their quantiles; the sum is kept
};

// Lower bound of the sum of `excess` (one value a slow occurrence; values and result in one unit). Percentile
// bootstrap: sums of as many values drawn with replacement. For one value or two it is their sum: nothing is known of
// their spread. Never more than the sum. Cost: rounds × values.
double sum_lower_bound(std::span<const double> excess, Random random, const LowerBoundOptions& options = {});

}  // namespace kymo::findings
