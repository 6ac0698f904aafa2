// A user's requirements for a hunt, and the rule that follows from them.
//
//   share          find sources that cause this share of the events or more          (p1)
//   refuse         do not report sources that cause this share or less               (p0)
//   confidence     a captured source of `share` is reported with this probability    (1 − β)
//   false_reports  expected false reports of the whole run, at most, however long    (B; rule.h, Epochs)
//
// Sequential test (Wald 1945), in events: a = ln(p1/p0), b = ln((1−p0)/(1−p1)); a match adds a/b + 1, every event
// takes off 1; start ln((1−α)/β)/b, report at start + ln((1−β)/α)/b. Literal pair: the smallest T1 that has a T2
// with P[Bin(T1, p1) ≥ T2] ≥ 1 − β and P[Bin(T1, p0) ≥ T2] ≤ α, by exact binomials.
#pragma once

#include "base/result.h"
#include "pairs/rule.h"

#include <cstdint>
#include <optional>

namespace kymo::pairs {

// The terminals of the literal pair, in events.
struct Terminals {
    std::uint32_t all = 0;       // T1
    std::uint32_t matching = 0;  // T2
};

struct Wish {
    double share = 0.05;
    double refuse = 0.02;
    double confidence = 0.99;
    double false_reports = 0.01;
    std::optional<double> false_alarm;  // instead of the budget: the same α for every capture
    Form form = Form::kSequential;
    std::uint32_t cells = 4;
    std::uint32_t period = 1;
    std::optional<std::uint32_t> gap;  // none: a quarter of the events that a hopeless capture takes
    // Of the pair, for every capture, instead of those derived from confidence and false_reports.
    std::optional<Terminals> terminals;
};

// P[Bin(T1, share) ≥ T2]: a captured source of that share is reported with this probability.
double reported(const Terminals& terminals, double share);
// The wish for these terminals: the share is T2/T1 and `refuse` 0.4 of it unless given; the confidence follows,
// and the false reports of a run are not bounded (0).
Wish with_terminals(Wish wish, const Terminals& terminals, bool has_share, bool has_refuse);

// The α of an epoch.
double false_alarm(const Wish& wish, std::uint32_t epoch);

// kUsage, with what to change: a share outside (0, 1), refuse not below share, a confidence outside [0.5, 1), no
// cells or too many, invalid terminals (not 1 ≤ T2 ≤ T1), a share so small that the counters would overflow. Cost:
// the pair's exact terminals take up to a second at shares of 0.0001; the sequential rule nothing.
Result<Rule> make_rule(const Wish& wish);

}  // namespace kymo::pairs
