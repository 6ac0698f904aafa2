#include "confirm/verdict.h"

#include "confirm/signed_ranks.h"

#include <algorithm>
#include <cmath>

namespace kymo::confirm {

Outcome outcome_of(const std::vector<Pair>& pairs, double promised, bool can_refute) {
    std::vector<double> differences;
    for (const Pair& pair : pairs) {
        if (pair.plain_s > 0 && pair.changed_s > 0) {
            differences.push_back(std::log(pair.plain_s / pair.changed_s));
        }
    }
    const Middle middle = middle_of(differences);
    const auto gain = [](double logarithm) { return 1 - std::exp(-logarithm); };
    Outcome outcome;
    outcome.gain = gain(middle.value);
    outcome.confidence = middle.confidence;
    if (middle.confidence == 0) {
        return outcome;
    }
    outcome.gain_low = gain(middle.low);
    outcome.gain_high = gain(middle.high);
    if (outcome.gain_low > kLeastEffect) {
        outcome.verdict = Verdict::kConfirmed;
    } else if (can_refute && outcome.gain_high < std::max(kLeastEffect, kLeastOfPromise * promised)) {
        outcome.verdict = Verdict::kRefuted;
    }
    return outcome;
}

std::string_view word_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::kConfirmed:
            return "confirmed";
        case Verdict::kRefuted:
            return "refuted";
        case Verdict::kUndecided:
            break;
    }
    return "undecided";
}

}  // namespace kymo::confirm
