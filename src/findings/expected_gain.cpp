#include "findings/expected_gain.h"

#include <algorithm>

namespace kymo::findings {
namespace {

// Of the realised gain by the share: bounds of its middle four fifths, among generated programs whose defect the
// first finding named; of the kernel two programs only. docs/measurements.md has the figures.
struct Factors {
    double low = 1;
    double high = 1;
};
constexpr Factors kOfWork{.low = 0.9, .high = 1.3};
constexpr Factors kOfKernel{.low = 0.95, .high = 1.7};
constexpr Factors kOfWaits{.low = 0.7, .high = 1.55};
constexpr double kMost = 0.99;  // something of the run is left

Factors factors_of(TermSet terms) {
    if (has(terms, Term::kUser)) {
        return kOfWork;
    }
    return has(terms, Term::kSystem) ? kOfKernel : kOfWaits;
}

}  // namespace

ExpectedGain expected_gain(double share, TermSet terms) {
    const Factors factors = factors_of(terms);
    return {.low = std::min(kMost, share * factors.low), .high = std::min(kMost, share * factors.high)};
}

}  // namespace kymo::findings
