#include "confirm/signed_ranks.h"

#include <algorithm>

namespace kymo::confirm {
namespace {

// By value, the chance of the sum of those of the ranks 1 … count whose differences are positive, if each is so with
// one half.
std::vector<double> rank_sum_chances(std::size_t count) {
    std::vector<double> chances(count * (count + 1) / 2 + 1, 0);
    chances[0] = 1;
    for (std::size_t rank = 1; rank <= count; ++rank) {
        for (std::size_t sum = chances.size(); sum-- > 0;) {
            chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
        }
    }
    return chances;
}

}  // namespace

Middle middle_of(const std::vector<double>& differences) {
    std::vector<double> means;  // of all pairs, each with itself as well
    for (std::size_t i = 0; i < differences.size(); ++i) {
        for (std::size_t j = i; j < differences.size(); ++j) {
            means.push_back((differences[i] + differences[j]) / 2);
        }
    }
    if (means.empty()) {
        return {};
    }
    std::sort(means.begin(), means.end());
    const std::size_t half = means.size() / 2;
    Middle middle;
    middle.value = means.size() % 2 == 1 ? means[half] : (means[half - 1] + means[half]) / 2;
    if (differences.size() < kLeastDifferences) {
        return middle;
    }
    const std::vector<double> chances = rank_sum_chances(differences.size());
    std::size_t outside = 0;  // means beyond either end of the interval
    double chance = chances[0];
    while (chance + chances[outside + 1] <= (1 - kWantedConfidence) / 2) {
        chance += chances[++outside];
    }
    middle.low = means[outside];
    middle.high = means[means.size() - 1 - outside];
    middle.confidence = 1 - 2 * chance;
    return middle;
}

}  // namespace kymo::confirm
