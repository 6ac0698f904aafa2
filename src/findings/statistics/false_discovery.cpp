#include "findings/statistics/false_discovery.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kymo::findings {

std::vector<double> q_values(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
    std::vector<double> q(p_values.size());
    double least = 1;
    for (std::size_t rank = order.size(); rank-- > 0;) {
        const double scaled =
            p_values[order[rank]] * static_cast<double>(order.size()) / static_cast<double>(rank + 1);
        least = std::min(least, scaled);
        q[order[rank]] = least;
    }
    return q;
}

}  // namespace kymo::findings
