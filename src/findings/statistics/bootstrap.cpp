#include "findings/statistics/bootstrap.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace kymo::findings {

double sum_lower_bound(std::span<const double> excess, Random random, const LowerBoundOptions& options) {
    const double sum = std::accumulate(excess.begin(), excess.end(), 0.0);
    if (excess.size() < 3) {
        return sum;
    }
    std::vector<double> values(excess.begin(), excess.end());
    double each = 1;
    if (values.size() > options.most_values) {
        std::sort(values.begin(), values.end());
        std::vector<double> thin(options.most_values);
        for (std::size_t i = 0; i < thin.size(); ++i) {
            thin[i] = quantile(values, (static_cast<double>(i) + 0.5) / static_cast<double>(thin.size()));
        }
        each = static_cast<double>(values.size()) / static_cast<double>(thin.size());
        values = std::move(thin);
    }
    std::vector<double> sums(options.rounds);
    for (double& drawn : sums) {
        drawn = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            drawn += values[static_cast<std::size_t>(random.below(values.size()))];
        }
        drawn *= each;
    }
    std::sort(sums.begin(), sums.end());
    return std::min(sum, quantile(sums, 1 - options.confidence));
}

}  // namespace kymo::findings
