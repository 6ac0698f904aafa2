// Durations split into slow and fast, robustly.
//
// On the logarithms y of the durations: two groups are split at the largest gap between neighbouring values that
// leaves at least three (and 2 %) on each side, if it is kLeastGap robust standard deviations wide; these are the
// scaled MAD of all values around the median of their own side. Otherwise slow ones are those kLeastDistance
// robust standard deviations above the median of all: the upper tail. If a few of these contain four fifths of all
// excess over the usual, each three times as much as any of the others, only those few. Two groups that overlap
// are not split: their difference is then left to comparisons that do not start from the durations.
//
// Either way slow ones take at least kLeastRatio times the fast median, and the standard deviation is never taken
// to be smaller than the error of sampling a duration (`resolution`).
//
// False alarms (some value called slow): at most 1 % of series of independent or autocorrelated log-normal
// durations of 8 … 4,096, of uniform and of exponential ones: a test checks it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kymo::findings {

inline constexpr double kLeastGap = 5;
inline constexpr double kLeastDistance = 6;
inline constexpr double kLeastRatio = 1.2;

enum class SplitKind { kNone, kTwoGroups, kUpperTail };

struct Split {
    SplitKind kind = SplitKind::kNone;
    std::vector<char> is_slow;  // by value, 1 or 0
    std::size_t slow = 0;       // how many
    double fast_median = 0;
    double slow_median = 0;
};

// `durations`: greater than 0, any unit; non-positive ones count as the smallest positive. `resolution`: relative
// error of a duration (1 / samples of the median occurrence). Under 4 values nothing is split. O(n log n).
Split split_slow(std::span<const double> durations, double resolution);

}  // namespace kymo::findings
