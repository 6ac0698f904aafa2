#include "spacetime/spaces/period.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kMostBins = std::size_t{1} << 17U;
constexpr std::size_t kCandidates = 12;
constexpr double kLeastCycles = 3;    // in the span
constexpr double kStepsPerWidth = 8;  // refining: steps a natural width (1 / span) of frequency

using Complex = std::complex<double>;

// For finite numbers: operator*'s special cases are not needed.
Complex product(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The roots of unity of a transform's last round; earlier rounds take every second, fourth, … of them. Kept for
// the last size in this thread: most nodes with many occurrences have the maximum number of
// times.
std::span<const Complex> roots_of(std::size_t n) {
    thread_local std::vector<Complex> roots;
    if (roots.size() != n / 2) {
        roots.resize(n / 2);
        const double angle = -2 * std::numbers::pi / static_cast<double>(n);
        for (std::size_t k = 0; k < roots.size(); ++k) {
            roots[k] = std::polar(1.0, angle * static_cast<double>(k));
        }
    }
    return roots;
}

// In place, size a power of two (Cooley and Tukey 1965).
void transform(std::vector<Complex>* values) {
    std::vector<Complex>& v = *values;
    const std::size_t n = v.size();
    for (std::size_t i = 1, k = 0; i < n; ++i) {
        std::size_t bit = n >> 1U;
        for (; (k & bit) != 0; bit >>= 1U) {
            k ^= bit;
        }
        k ^= bit;
        if (i < k) {
            std::swap(v[i], v[k]);
        }
    }
    const std::span<const Complex> roots = roots_of(n);
    for (std::size_t length = 2; length <= n; length *= 2) {
        const std::size_t every = n / length;
        for (std::size_t i = 0; i < n; i += length) {
            for (std::size_t k = 0; k < length / 2; ++k) {
                const Complex odd = product(v[i + k + length / 2], roots[k * every]);
                v[i + k + length / 2] = v[i + k] - odd;
                v[i + k] += odd;
            }
        }
    }
}

// By lag in bins: the number of pairs of times at that distance, relative to what their spread over the span makes
// likely.
std::vector<double> autocorrelation(std::span<const std::uint64_t> times, std::size_t bins, double bin) {
    std::vector<Complex> values(2 * bins);  // twice the length: nothing wraps around
    for (const std::uint64_t time : times) {
        const double at = static_cast<double>(time - times.front()) / bin;
        values[std::min(bins - 1, static_cast<std::size_t>(at))] += 1.0;
    }
    transform(&values);
    for (Complex& value : values) {
        value = std::norm(value);
    }
    transform(&values);  // of a symmetric real function forwards and backwards are the same except for a factor
    std::vector<double> result(bins);
    for (std::size_t lag = 0; lag < bins; ++lag) {
        result[lag] = values[lag].real() / static_cast<double>(2 * bins);
    }
    return result;
}

double concentration_at(std::span<const std::uint64_t> times, double frequency) {
    Complex sum;
    for (const std::uint64_t time : times) {
        const double turns = static_cast<double>(time - times.front()) * frequency;
        sum += std::polar(1.0, 2 * std::numbers::pi * (turns - std::floor(turns)));
    }
    return std::abs(sum) / static_cast<double>(times.size());
}

// The concentrations at `low`, `low` + `step`, …: from one frequency to the next every time's phase is turned by a
// factor of its own, which costs a multiplication where a sine and a cosine would cost thirty.
class Scan {
  public:
    Scan(std::span<const std::uint64_t> times, double low, double step)
        : cosine_(times.size()), sine_(times.size()), turn_cosine_(times.size()), turn_sine_(times.size()) {
        for (std::size_t i = 0; i < times.size(); ++i) {
            const double at = static_cast<double>(times[i] - times.front());
            const auto phase = [at](double frequency) {
                const double turns = at * frequency;
                return 2 * std::numbers::pi * (turns - std::floor(turns));
            };
            cosine_[i] = std::cos(phase(low));
            sine_[i] = std::sin(phase(low));
            turn_cosine_[i] = std::cos(phase(step));
            turn_sine_[i] = std::sin(phase(step));
        }
    }
    // At the frequency reached; then goes on to the next.
    double next() {
        double x = 0;
        double y = 0;
        for (std::size_t i = 0; i < cosine_.size(); ++i) {
            x += cosine_[i];
            y += sine_[i];
            const double cosine = cosine_[i] * turn_cosine_[i] - sine_[i] * turn_sine_[i];
            sine_[i] = cosine_[i] * turn_sine_[i] + sine_[i] * turn_cosine_[i];
            cosine_[i] = cosine;
        }
        return std::hypot(x, y) / static_cast<double>(cosine_.size());
    }

  private:
    std::vector<double> cosine_;
    std::vector<double> sine_;
    std::vector<double> turn_cosine_;
    std::vector<double> turn_sine_;
};

struct Peak {
    double frequency = 0;
    double concentration = 0;
};

// The frequency of largest concentration between two, to an eighth of a peak's width. Peaks are as narrow as 1 /
// span, and there may be thousands in the interval: so the search begins in a stretch of the times that is short
// enough for one peak, which is then doubled.
Peak find_peak(std::span<const std::uint64_t> times, double low, double high) {
    const double span = static_cast<double>(times.back() - times.front());
    double window = std::min(span, std::max(4 / (high - low), 4 / low));
    double best_frequency = (low + high) / 2;
    for (;;) {
        const auto end =
            std::upper_bound(times.begin(), times.end(), times.front() + static_cast<std::uint64_t>(window));
        const auto seen = times.first(static_cast<std::size_t>(end - times.begin()));
        const double step = 1 / (window * kStepsPerWidth);
        double best = -1;
        const double middle = best_frequency;
        Scan scan(seen, low, step);
        for (double frequency = low; frequency <= high + step / 2; frequency += step) {
            // Of equals the nearest to the middle: few times are in phase at many frequencies.
            const double concentration = scan.next() - 1e-9 * std::abs(frequency - middle) / middle;
            if (concentration > best) {
                best = concentration;
                best_frequency = frequency;
            }
        }
        if (window >= span) {
            return {best_frequency, best};
        }
        low = best_frequency - 1 / window;
        high = best_frequency + 1 / window;
        window = std::min(span, 2 * window);
    }
}

// To the top of the peak.
Peak climb(std::span<const std::uint64_t> times, Peak peak) {
    const double span = static_cast<double>(times.back() - times.front());
    peak.concentration = concentration_at(times, peak.frequency);
    for (double fine = 1 / (span * kStepsPerWidth); fine > 1e-5 / span; fine /= 2) {
        const double middle = peak.frequency;
        for (const double near : {middle - fine, middle + fine}) {
            const double concentration = concentration_at(times, near);
            if (concentration > peak.concentration) {
                peak = {near, concentration};
            }
        }
    }
    return peak;
}

}  // namespace

double rayleigh_p(std::uint64_t n, double concentration) {
    const double count = static_cast<double>(n);
    const double length = count * concentration;
    const double p = std::exp(std::sqrt(1 + 4 * count + 4 * (count * count - length * length)) - (1 + 2 * count));
    return std::clamp(p, 0.0, 1.0);
}

std::optional<Period> find_period(std::span<const std::uint64_t> times, const PeriodOptions& options) {
    if (times.size() < std::max<std::uint64_t>(options.least_times, 3) || times.back() == times.front()) {
        return std::nullopt;
    }
    const double span = static_cast<double>(times.back() - times.front());
    const std::size_t bins = std::min(kMostBins, std::bit_ceil(16 * times.size()));
    const double bin = span / static_cast<double>(bins);
    const std::vector<double> correlation = autocorrelation(times, bins, bin);
    const auto longest = static_cast<std::size_t>(static_cast<double>(bins) / kLeastCycles);

    // Jitter widens a peak: a stretch of an eighth of the lag is added up, and compared with the expectation for
    // random times, in standard deviations. The multiples of a period are a little lower than
    // the period itself.
    std::vector<double> below(bins + 1, 0);  // sums of the correlation below a lag
    for (std::size_t lag = 0; lag < bins; ++lag) {
        below[lag + 1] = below[lag] + correlation[lag];
    }
    const double count = static_cast<double>(times.size());
    const auto reach = [](std::size_t lag) { return std::max<std::size_t>(1, lag / 16); };
    const auto height = [&](std::size_t lag) {
        const std::size_t side = reach(lag);
        const double overlap = 1 - static_cast<double>(lag) / static_cast<double>(bins);
        const double expected =
            static_cast<double>(2 * side + 1) * count * count / static_cast<double>(bins) * overlap;
        return (below[lag + side + 1] - below[lag - side] - expected) / std::sqrt(expected + 1);
    };
    std::vector<std::pair<double, std::size_t>> heights;
    for (std::size_t lag = 2; lag < longest; ++lag) {
        heights.emplace_back(-height(lag), lag);
    }
    std::sort(heights.begin(), heights.end());
    std::vector<std::size_t> peaks;
    for (std::size_t i = 0; i < heights.size() && peaks.size() < kCandidates && heights[i].first < 0; ++i) {
        const std::size_t lag = heights[i].second;
        if (std::none_of(peaks.begin(), peaks.end(), [&](std::size_t peak) {
                return std::max(peak, lag) - std::min(peak, lag) <= reach(peak) + 1;
            })) {
            peaks.push_back(lag);
        }
    }

    std::vector<Peak> found_peaks;
    double highest = 0;
    for (const std::size_t lag : peaks) {
        const double low = 1 / ((static_cast<double>(lag + reach(lag)) + 0.5) * bin);
        const double high = 1 / ((static_cast<double>(lag - reach(lag)) - 0.5) * bin);
        found_peaks.push_back(find_peak(times, low, high));
        highest = std::max(highest, found_peaks.back().concentration);
    }
    // A sixteenth of a width from its top a peak still has 99 % of its height: lower ones need not be climbed.
    constexpr double kNearHighest = 0.95;
    Peak best;
    for (const Peak& peak : found_peaks) {
        if (peak.concentration >= kNearHighest * highest) {
            const Peak top = climb(times, peak);
            best = top.concentration > best.concentration ? top : best;
        }
    }
    if (best.frequency <= 0) {
        return std::nullopt;
    }
    // Independent frequencies between the shortest and the longest period: one a natural width.
    const double looked_at = static_cast<double>(bins) / 2;
    const Period found = {1 / best.frequency, best.concentration,
                          std::min(1.0, rayleigh_p(times.size(), best.concentration) * looked_at)};
    return found.p_value < options.significance ? std::optional(found) : std::nullopt;
}

}  // namespace kymo::spacetime
