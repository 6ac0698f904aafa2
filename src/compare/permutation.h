// Which of many amounts differ between two groups of runs, beyond what chance makes of any of them.
//
// Each amount's difference is measured in its own spread (Student's t of two groups). If the groups do not differ,
// any other division of the runs into two groups of these sizes is as likely; so the chance of a difference as large
// as an amount's, in *any* of the amounts, is the part of all divisions whose largest is no smaller (Westfall and
// Young, Resampling-Based Multiple Testing, 1993: the step-down maximum). What is told at 5 % is therefore wrong in
// at most 5 % of comparisons of equal runs, however many amounts are compared, and however they depend on one
// another.
//
// Contract: pure. Cost: amounts × divisions; of more than kMostDivisions that many are drawn, always the same.
#pragma once

#include <cstddef>
#include <vector>

namespace kymo::compare {

struct ComparedAmount {
    std::vector<double> base;  // one a run
    std::vector<double> other;
    // Standard deviation below which a spread is taken for luck: that of the measuring itself.
    double least_spread = 0;
};

inline constexpr std::size_t kMostDivisions = 20'000;

// By amount: the chance of a difference as large anywhere. 1 where there are too few runs for any answer.
std::vector<double> chances(const std::vector<ComparedAmount>& amounts);

// Least chance that so many runs a side can show; with 4 a side 0.029, with 3 0.1.
double least_chance(std::size_t base, std::size_t other);

}  // namespace kymo::compare
