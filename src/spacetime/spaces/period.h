// Tests for periodic events. Candidates by autocorrelation of the times, accepted by a test of phase
// concentration.
//
// The times are counted into bins and correlated with themselves (fast Fourier transform); the highest peaks are
// refined to the period with the largest resultant length R of the phases 2πt/T. A period is accepted if the Rayleigh
// test (as in Mardia and Jupp, Directional Statistics, 2000, 6.3.1; approximation of Wilkie 1983) rejects chance,
// corrected for *all* periods tested (Bonferroni): the period was chosen from the same times. Multiples of the
// true period have R near 0, and its fractions no peak, so neither is reported in its place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace kymo::spacetime {

struct Period {
    double ns = 0;
    double concentration = 0;  // R: 0 none … 1 all in phase
    double p_value = 1;        // corrected
};

struct PeriodOptions {
    double significance = 1e-3;
    std::uint64_t least_times = 8;  // fewer cannot be distinguished from chance
};

// `times`: ns, ascending, e.g. the begins of a node's occurrences. None if chance explains them.
// Cost: O(n + B log B + n × candidates), B ≤ 2^17 bins. Periods tested: from 2 bins (span / B) to a third of the
// span.
std::optional<Period> find_period(std::span<const std::uint64_t> times, const PeriodOptions& options = {});

// P(R at least this large | n independent uniform phases).
double rayleigh_p(std::uint64_t n, double concentration);

}  // namespace kymo::spacetime
