// The middle of a few differences, and an interval for it, without an assumption on how they spread but symmetry:
// Hodges and Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34, 1963.
#pragma once

#include <cstddef>
#include <vector>

namespace kymo::confirm {

inline constexpr double kWantedConfidence = 0.95;
inline constexpr std::size_t kLeastDifferences = 6;  // from here on there is an interval of that confidence

struct Middle {
    double value = 0;
    double low = 0;
    double high = 0;
    double confidence = 0;  // kWantedConfidence at least; 0: too few differences, `low` and `high` mean nothing
};

// Exact, from the distribution of the signed-rank statistic. Pure; n² ln n, and n³ additions for the distribution.
Middle middle_of(const std::vector<double>& differences);

}  // namespace kymo::confirm
