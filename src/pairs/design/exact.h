// What a rule does, exactly: the probability that a capture ends in a report, and how long that takes.
//
// The pair by the binomial distribution; the sequential test by following its distribution from match to match (no
// approximation of the overshoot, unlike Wald's formulas). Events are independent here; a program's are not, which is
// what the random gaps are for.
#pragma once

#include "pairs/rule.h"

#include <cstdint>
#include <span>

namespace kymo::pairs {

struct TestOutcome {
    double detect = 0;           // D: probability of a report
    double events = 0;           // mean events from the capture (not counted) to the end of the test
    double events_detected = 0;  // the same, of tests that end in a report; 0 where none does
};

// A capture of a source with share p, with the thresholds of an epoch. Cost: sequential, about (bound/unit) ×
// (matches until the end) operations.
TestOutcome test_of(const Rule& rule, std::uint32_t epoch, double p);

// A cycle: the captured event, its test, and the rest before the next capture.
double cycle_events(const Rule& rule, const TestOutcome& test);

// Another kind of source beside the one looked for.
struct Background {
    double share = 0;   // of all events, together
    double source = 0;  // of one such source; 0: so small that none recurs
};

// Events until a source with share p is reported, in the mean, with k cells: the capture that ends in a report is the
// J-th, J geometric with p·D(p); the first k are made at once, the others k in a cycle. Good to some per cent while
// the cells do not meet the same source (tests/unit/pairs/property_test.cpp). Includes rule.period.
double events_to_report(const Rule& rule, std::uint32_t epoch, double p, std::span<const Background> others);

// What a hunt can promise, for its user.
struct Promise {
    double miss = 0;               // a captured source of `share` is passed over with this probability ...
    double false_alarm = 0;        // ... one of `refuse` reported with this, at the first capture
    double events_alone = 0;       // events until a source of `share` is reported: all others rare
    double events_among_many = 0;  // all others just at `refuse`
};
Promise promise(const Rule& rule, double share, double refuse);

}  // namespace kymo::pairs
