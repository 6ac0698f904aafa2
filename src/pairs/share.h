// From counts to a share and its error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kymo::pairs {

struct Share {
    double value = 0;
    double error = 0;  // one standard deviation
};

// A test stops at a match, so the unbiased estimate of the share is (m − 1)/(n − 1) (inverse sampling: Haldane,
// 1945). It is still optimistic, since the tests that went well are the ones that stopped; the counts *after* the
// find are not, and from `kEnoughMatches` of them on only they are used.
inline Share estimate_share(std::uint64_t test_events, std::uint64_t test_matches, std::uint64_t later_events,
                            std::uint64_t later_matches) {
    constexpr std::uint64_t kEnoughMatches = 30;
    const bool later_alone = later_matches >= kEnoughMatches;
    double events = static_cast<double>(later_events);
    double matches = static_cast<double>(later_matches);
    if (!later_alone) {
        events += test_events > 1 ? static_cast<double>(test_events - 1) : 0;
        matches += test_matches > 1 ? static_cast<double>(test_matches - 1) : 0;
    }
    if (events <= 0) {
        return {};
    }
    const double share = matches / events < 1 ? matches / events : 1;
    // Agresti and Coull (1998): one pseudo-match and one pseudo-miss keep the error from being 0 at share 1.
    const double centre = std::min(1.0, (matches + 1) / (events + 2));
    return {share, std::sqrt(centre * (1 - centre) / (events + 2))};
}

}  // namespace kymo::pairs
