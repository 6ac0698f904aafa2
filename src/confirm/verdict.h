// What pairs of runs, as recorded and with a cause taken away, say of a finding.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::confirm {

struct Pair {  // run one after the other, in an order that changes from pair to pair
    double plain_s = 0;
    double changed_s = 0;
};

enum class Verdict : std::uint8_t { kUndecided, kConfirmed, kRefuted };

struct Outcome {
    Verdict verdict = Verdict::kUndecided;
    // The part of its time by which the run becomes shorter; negative: longer.
    double gain = 0;
    double gain_low = 0;
    double gain_high = 0;
    double confidence = 0;  // of the interval; 0: too few pairs for one
};

inline constexpr double kLeastEffect = 0.01;     // of the run: less is nobody's concern
inline constexpr double kLeastOfPromise = 0.25;  // of the finding's share: less is not what it says

// `promised`: the finding's share of the run. Confirmed: the run becomes shorter by more than kLeastEffect, for sure.
// Refuted: for sure by less than kLeastOfPromise of what was promised. Pure.
Outcome outcome_of(const std::vector<Pair>& pairs, double promised, bool can_refute);

std::string_view word_of(Verdict verdict);

}  // namespace kymo::confirm
