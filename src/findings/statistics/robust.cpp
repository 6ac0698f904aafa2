#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kymo::findings {
namespace {

constexpr std::size_t kMostPairs = std::size_t{1} << 20U;
constexpr std::size_t kThinned = 1024;

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> result(values.begin(), values.end());
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<double> thinned(std::vector<double> ascending) {
    if (ascending.size() <= kThinned) {
        return ascending;
    }
    std::vector<double> result(kThinned);
    for (std::size_t i = 0; i < kThinned; ++i) {
        result[i] = quantile(ascending, (static_cast<double>(i) + 0.5) / static_cast<double>(kThinned));
    }
    return result;
}

}  // namespace

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

double hodges_lehmann_shift(std::span<const double> a, std::span<const double> b) {
    std::vector<double> from_a = sorted(a);
    std::vector<double> from_b = sorted(b);
    if (a.size() * b.size() > kMostPairs) {
        from_a = thinned(std::move(from_a));
        from_b = thinned(std::move(from_b));
    }
    std::vector<double> differences;
    differences.reserve(from_a.size() * from_b.size());
    for (const double x : from_a) {
        for (const double y : from_b) {
            differences.push_back(x - y);
        }
    }
    return median(std::move(differences));
}

double cliffs_delta(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) {
        return 0;
    }
    const std::vector<double> ascending = sorted(b);
    double balance = 0;
    for (const double x : a) {
        const auto [first, last] = std::equal_range(ascending.begin(), ascending.end(), x);
        balance += static_cast<double>(first - ascending.begin()) - static_cast<double>(ascending.end() - last);
    }
    return balance / static_cast<double>(a.size()) / static_cast<double>(b.size());
}

}  // namespace kymo::findings
