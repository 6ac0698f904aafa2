// Location, spread and differences that a few wild values cannot move. Pure; NaN in, nonsense out: leave them away.
#pragma once

#include <span>
#include <vector>

namespace kymo::findings {

// Mean of the middle two where their number is even; 0 of nothing. O(n).
double median(std::vector<double> values);

// Of ascending values, 0 ≤ at ≤ 1, linear between neighbours (Hyndman and Fan's type 7). 0 of nothing.
double quantile(std::span<const double> ascending, double at);

// Median absolute deviation from `centre`, × 1.4826: the standard deviation, were the values normal.
double scaled_mad(std::span<const double> values, double centre);

// How much larger the values of `a` are: the median of all differences a_i − b_j (Hodges and Lehmann 1963). Exact up
// to 2^20 pairs; larger samples are thinned to 1,024 of their quantiles each. 0 where one is empty.
double hodges_lehmann_shift(std::span<const double> a, std::span<const double> b);

// P(a > b) − P(a < b), −1 … 1 (Cliff 1993). O((n + m) log(n + m)). 0 where one is empty.
double cliffs_delta(std::span<const double> a, std::span<const double> b);

}  // namespace kymo::findings
