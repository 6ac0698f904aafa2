// P-values of differences between two groups of runs, for many amounts at once.
//
// Each amount's difference is measured in its own spread (Student's t of two groups). If the groups do not differ,
// any other division of the runs into two groups of these sizes is as likely. So an amount's p-value is the part
// of all divisions whose largest t, over all amounts, is no smaller than the amount's own (Westfall and Young,
// Resampling-Based Multiple Testing, 1993: the step-down maximum). At 5 %, at most 5 % of comparisons of equal
// runs report any difference, however many amounts there are, and however they depend on one another.
//
// Contract: pure. Cost: amounts × divisions; of more than kMostDivisions that many are drawn, always the same.
#pragma once

#include <cstddef>
#include <vector>

namespace kymo::compare {

struct ComparedAmount {
    std::vector<double> base;  // one a run
    std::vector<double> other;
    // Standard deviation below which a spread counts as luck: that of the measuring itself.
    double least_spread = 0;
};

inline constexpr std::size_t kMostDivisions = 20'000;

// One per amount. 1 if there are too few runs for any answer.
std::vector<double> p_values(const std::vector<ComparedAmount>& amounts);

// The smallest p-value possible with that many runs a side; with 4 a side 0.029, with 3 0.1.
double least_p(std::size_t base, std::size_t other);

}  // namespace kymo::compare
