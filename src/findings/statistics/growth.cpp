#include "findings/statistics/growth.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kymo::findings {
namespace {

constexpr double kLeastFit = 0.9;      // R² of the straight line
constexpr double kLeastRise = 4;       // last by first
constexpr double kLeastInHalf = 1.25;  // last by first part of either half

using Parts = std::array<double, kGrowthParts>;

// The code's time beside each part of the rest. Within a batch both pass evenly.
Parts beside_parts(std::span<const std::int64_t> code, std::span<const std::int64_t> rest, double all) {
    Parts parts{};
    double passed = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const auto own = static_cast<double>(code[i]);
        const auto more = static_cast<double>(rest[i]);
        const double from = passed / all * kGrowthParts;
        passed += more;
        const double to = passed / all * kGrowthParts;
        for (auto part = std::min<std::size_t>(static_cast<std::size_t>(from), kGrowthParts - 1); part < kGrowthParts;
             ++part) {
            const auto begin = static_cast<double>(part);
            const double inside = std::min(to, begin + 1) - std::max(from, begin);
            parts[part] += more > 0 ? own * std::max(0.0, inside) / (to - from) : own;
            if (to <= begin + 1) {
                break;
            }
        }
    }
    return parts;
}

// R² of the line of least squares.
double fit_of_line(const Parts& parts) {
    constexpr double kMiddle = (static_cast<double>(kGrowthParts) - 1) / 2;
    const double mean = std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(kGrowthParts);
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (std::size_t i = 0; i < kGrowthParts; ++i) {
        const double x = static_cast<double>(i) - kMiddle;
        const double y = parts[i] - mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return yy <= 0 || xy <= 0 ? 0 : xy * xy / (xx * yy);
}

}  // namespace

Growth growth_of(std::span<const std::int64_t> code, std::span<const std::int64_t> rest) {
    const auto all = static_cast<double>(std::accumulate(rest.begin(), rest.end(), std::int64_t{0}));
    if (all <= 0 || code.size() != rest.size()) {
        return {};
    }
    const Parts parts = beside_parts(code, rest, all);
    constexpr std::size_t kHalf = kGrowthParts / 2;
    Growth growth{.first = parts.front(), .last = parts.back()};
    for (const double part : parts) {
        growth.grown += part - parts.front();
    }
    growth.grows = fit_of_line(parts) >= kLeastFit && parts.back() >= kLeastRise * parts.front() &&
                   parts[kHalf - 1] >= kLeastInHalf * parts.front() && parts.back() >= kLeastInHalf * parts[kHalf];
    return growth;
}

}  // namespace kymo::findings
