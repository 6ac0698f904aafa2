// Location, spread and differences that a few wild values cannot move. Pure. NaN makes results meaningless: omit it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kymo::findings {

// Mean of the middle two if their number is even; 0 of nothing. O(n).
double median(std::vector<double> values);

// Of ascending values, 0 ≤ at ≤ 1, linear between neighbours (Hyndman and Fan's type 7). 0 of nothing.
double quantile(std::span<const double> ascending, double at);

// Median absolute deviation from `centre`, × 1.4826: the standard deviation, were the values normal.
double scaled_mad(std::span<const double> values, double centre);

// For each value: the number of smaller ones minus the number of larger ones. kUnknownBalance: it is NaN, and does
// not count with the others either. O(n log n). At most 2^31 − 1 values.
std::vector<std::int32_t> balances(std::span<const double> values);
inline constexpr std::int32_t kUnknownBalance = std::numeric_limits<std::int32_t>::min();

// P(a > b) − P(a < b), −1 … 1 (Cliff 1993), of a the labelled values and b the others, by their balances: the values
// of one side add up to nothing among themselves. O(n). 0 if one is empty.
double cliffs_delta(std::span<const std::int32_t> balances, std::span<const char> label);

}  // namespace kymo::findings
