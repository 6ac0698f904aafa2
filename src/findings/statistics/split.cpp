#include "findings/statistics/split.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>

namespace kymo::findings {
namespace {

constexpr std::size_t kLeastValues = 4;
constexpr std::size_t kLeastSide = 3;
constexpr std::size_t kManyValues = 20;
constexpr double kFarFromTheRest = 3;   // times as far beyond the usual
constexpr double kLeftToTheRest = 0.2;  // of all that lies beyond it
constexpr double kLeastSigma = 0.01;    // of a logarithm: no clockwork is better than 1 %

// The standard deviation of the difference of two errors that are uniform over one sampling period.
constexpr double kSamplingSigma = 0.41;

// Few values estimate their own spread badly.
double few_factor(std::size_t count) {
    const double lacking = count < kManyValues ? static_cast<double>(kManyValues - count) : 0;
    return 1 + lacking * lacking / 50;
}

double pooled_sigma(std::span<const double> ascending, std::size_t cut) {
    const double low = quantile(ascending.first(cut), 0.5);
    const double high = quantile(ascending.subspan(cut), 0.5);
    std::vector<double> distances;
    distances.reserve(ascending.size());
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        distances.push_back(std::abs(ascending[i] - (i < cut ? low : high)));
    }
    return 1.4826 * median(std::move(distances));
}

// Index of the first value of the upper group; 0: not two groups.
std::size_t two_groups(std::span<const double> ascending, double least_sigma) {
    const std::size_t side = std::max(kLeastSide, ascending.size() / 50);
    std::size_t cut = 0;
    double widest = std::log(kLeastRatio);
    for (std::size_t i = side; i + side <= ascending.size(); ++i) {
        if (ascending[i] - ascending[i - 1] > widest) {
            widest = ascending[i] - ascending[i - 1];
            cut = i;
        }
    }
    const double sigma = cut != 0 ? std::max(least_sigma, pooled_sigma(ascending, cut)) : 0;
    return cut != 0 && widest >= kLeastGap * few_factor(ascending.size()) * sigma ? cut : 0;
}

// If a few values have nearly all of the excess over the usual, and are far from the rest of those above
// `threshold`, only those few are slow. All logarithms; returns the threshold.
double above_the_rest(std::span<const double> ascending, double threshold) {
    const auto first =
        static_cast<std::size_t>(std::upper_bound(ascending.begin(), ascending.end(), threshold) - ascending.begin());
    if (first == 0) {
        return threshold;
    }
    const double usual = quantile(ascending.first(first), 0.5);
    const auto beyond = [&](std::size_t i) { return std::exp(ascending[i]) - std::exp(usual); };
    double all = 0;
    for (std::size_t i = first; i < ascending.size(); ++i) {
        all += beyond(i);
    }
    double below = 0;
    double widest = kFarFromTheRest;
    for (std::size_t i = first; i + 1 < ascending.size(); ++i) {
        below += beyond(i);
        if (below > kLeftToTheRest * all) {
            break;
        }
        if (beyond(i + 1) >= widest * beyond(i)) {
            widest = beyond(i + 1) / beyond(i);
            threshold = (ascending[i] + ascending[i + 1]) / 2;
        }
    }
    return threshold;
}

}  // namespace

Split split_slow(std::span<const double> durations, double resolution) {
    Split split;
    split.is_slow.assign(durations.size(), 0);
    if (durations.size() < kLeastValues) {
        return split;
    }
    double smallest = 0;
    for (const double value : durations) {
        if (value > 0 && (smallest == 0 || value < smallest)) {
            smallest = value;
        }
    }
    if (smallest == 0) {
        return split;
    }
    std::vector<double> logs(durations.size());
    std::transform(durations.begin(), durations.end(), logs.begin(),
                   [&](double value) { return std::log(std::max(value, smallest)); });
    std::vector<double> ascending = logs;
    std::sort(ascending.begin(), ascending.end());

    const double least_sigma = std::max(kLeastSigma, kSamplingSigma * resolution);
    double threshold = 0;
    if (const std::size_t cut = two_groups(ascending, least_sigma); cut != 0) {
        split.kind = SplitKind::kTwoGroups;
        threshold = (ascending[cut - 1] + ascending[cut]) / 2;
    } else {
        const double centre = quantile(ascending, 0.5);
        const double sigma = std::max(least_sigma, scaled_mad(ascending, centre));
        threshold = centre + std::max(kLeastDistance * few_factor(logs.size()) * sigma, std::log(kLeastRatio));
        split.kind = SplitKind::kUpperTail;
    }
    if (const double few = above_the_rest(ascending, threshold); few > threshold) {
        threshold = few;
        split.kind = SplitKind::kUpperTail;
    }
    std::vector<double> fast;
    std::vector<double> slow;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        split.is_slow[i] = logs[i] > threshold ? 1 : 0;
        (split.is_slow[i] != 0 ? slow : fast).push_back(durations[i]);
    }
    split.slow = slow.size();
    split.fast_median = median(std::move(fast));
    split.slow_median = median(std::move(slow));
    if (split.slow == 0) {
        split.kind = SplitKind::kNone;
    }
    return split;
}

}  // namespace kymo::findings
