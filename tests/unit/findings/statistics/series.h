// Series of numbers for tests of statistics.
#pragma once

#include "findings/statistics/random.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace kymo::findings {

inline double normal(Random* random) {
    const double radius = std::sqrt(-2 * std::log(1 - random->uniform()));
    return radius * std::cos(2 * std::numbers::pi * random->uniform());
}

// Stationary, standard normal, each value tied to the one before by `memory` (AR(1)); 0: independent.
inline std::vector<double> stationary(std::size_t count, double memory, Random* random) {
    std::vector<double> values(count);
    double last = normal(random);
    for (double& value : values) {
        last = memory * last + std::sqrt(1 - memory * memory) * normal(random);
        value = last;
    }
    return values;
}

}  // namespace kymo::findings
