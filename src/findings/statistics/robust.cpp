#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace kymo::findings {

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double quantile(std::span<const double> ascending, double at) {
    if (ascending.empty()) {
        return 0;
    }
    const double position = at * static_cast<double>(ascending.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, ascending.size() - 1);
    return ascending[below] + (position - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

double scaled_mad(std::span<const double> values, double centre) {
    std::vector<double> distances(values.size());
    std::transform(values.begin(), values.end(), distances.begin(),
                   [&](double value) { return std::abs(value - centre); });
    return 1.4826 * median(std::move(distances));
}

std::vector<std::int32_t> balances(std::span<const double> values) {
    std::vector<std::pair<double, std::uint32_t>> known;
    known.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isnan(values[i])) {
            known.emplace_back(values[i], static_cast<std::uint32_t>(i));
        }
    }
    std::sort(known.begin(), known.end());
    std::vector<std::int32_t> result(values.size(), kUnknownBalance);
    for (std::size_t first = 0; first < known.size();) {
        std::size_t last = first + 1;
        while (last < known.size() && known[last].first == known[first].first) {
            ++last;
        }
        const auto balance = static_cast<std::int32_t>(first) - static_cast<std::int32_t>(known.size() - last);
        for (; first < last; ++first) {
            result[known[first].second] = balance;
        }
    }
    return result;
}

double cliffs_delta(std::span<const std::int32_t> balances, std::span<const char> label) {
    double sum = 0;
    double counts[2] = {0, 0};
    for (std::size_t i = 0; i < balances.size(); ++i) {
        if (balances[i] != kUnknownBalance) {
            counts[label[i] != 0 ? 1 : 0] += 1;
            sum += label[i] != 0 ? balances[i] : 0;
        }
    }
    return counts[0] > 0 && counts[1] > 0 ? sum / counts[1] / counts[0] : 0;
}

}  // namespace kymo::findings
