#include "compare/permutation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

namespace kymo::compare {
namespace {

double choose(std::size_t n, std::size_t k) {
    double ways = 1;
    for (std::size_t i = 1; i <= k; ++i) {
        ways = ways * static_cast<double>(n - k + i) / static_cast<double>(i);
    }
    return std::round(ways);
}

// Every division, as which runs are in the first group; or kMostDivisions of them, the one that is first.
std::vector<std::vector<bool>> divisions(std::size_t base, std::size_t other) {
    std::vector<bool> first(base + other, false);
    std::fill(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(base), true);
    std::vector<std::vector<bool>> all;
    if (choose(base + other, base) <= static_cast<double>(kMostDivisions)) {
        std::vector<bool> one = first;
        do {
            all.push_back(one);
        } while (std::prev_permutation(one.begin(), one.end()));
        return all;
    }
    std::mt19937_64 random(1);  // fixed: the same runs must give the same result
    all.push_back(first);
    while (all.size() < kMostDivisions) {
        std::vector<bool> one = first;
        for (std::size_t i = one.size() - 1; i > 0; --i) {
            const std::size_t with = random() % (i + 1);
            const bool kept = one[i];
            one[i] = one[with];
            one[with] = kept;
        }
        all.push_back(std::move(one));
    }
    return all;
}

// |t| of the values under a division.
double distance(const std::vector<double>& values, const std::vector<bool>& is_first, std::size_t firsts,
                double least_spread) {
    double sums[2] = {0, 0};
    double squares[2] = {0, 0};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t group = is_first[i] ? 0 : 1;
        sums[group] += values[i];
        squares[group] += values[i] * values[i];
    }
    const double counts[2] = {static_cast<double>(firsts), static_cast<double>(values.size() - firsts)};
    double spread = 0;
    for (std::size_t group = 0; group < 2; ++group) {
        spread += std::max(0.0, squares[group] - sums[group] * sums[group] / counts[group]);
    }
    const double variance = spread / (counts[0] + counts[1] - 2) + least_spread * least_spread;
    const double error = std::sqrt(variance * (1 / counts[0] + 1 / counts[1]));
    const double difference = std::abs(sums[0] / counts[0] - sums[1] / counts[1]);
    return error > 0 ? difference / error : 0;
}

}  // namespace

double least_p(std::size_t base, std::size_t other) {
    if (base == 0 || other == 0 || base + other < 3) {
        return 1;
    }
    // With equal numbers on both sides the groups may be exchanged: two divisions have the same distance.
    return std::min(1.0, (base == other ? 2.0 : 1.0) / choose(base + other, base));
}

std::vector<double> p_values(const std::vector<ComparedAmount>& amounts) {
    std::vector<double> result(amounts.size(), 1);
    if (amounts.empty() || least_p(amounts[0].base.size(), amounts[0].other.size()) >= 1) {
        return result;
    }
    const std::size_t base = amounts[0].base.size();
    std::vector<std::vector<double>> values;
    std::vector<double> own;
    const auto all = divisions(base, amounts[0].other.size());
    for (const ComparedAmount& amount : amounts) {
        // Relative to their mean, so that squares of large numbers that hardly differ keep their digits.
        std::vector<double> both = amount.base;
        both.insert(both.end(), amount.other.begin(), amount.other.end());
        const double mean = std::accumulate(both.begin(), both.end(), 0.0) / static_cast<double>(both.size());
        std::transform(both.begin(), both.end(), both.begin(), [mean](double value) { return value - mean; });
        own.push_back(distance(both, all[0], base, amount.least_spread));
        values.push_back(std::move(both));
    }
    // The clearest difference is compared with the largest of all, the next one with the largest of the others, …
    std::vector<std::size_t> order(amounts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return own[a] > own[b]; });
    std::vector<std::uint64_t> no_smaller(amounts.size());
    for (const auto& division : all) {
        double largest = 0;
        for (std::size_t place = order.size(); place-- > 0;) {
            const std::size_t i = order[place];
            largest = std::max(largest, distance(values[i], division, base, amounts[i].least_spread));
            no_smaller[i] += largest >= own[i] * (1 - 1e-9) ? 1 : 0;
        }
    }
    double before = 0;
    for (const std::size_t i : order) {
        before = std::max(before, static_cast<double>(no_smaller[i]) / static_cast<double>(all.size()));
        result[i] = before;
    }
    return result;
}

}  // namespace kymo::compare
