// Verdicts of pairs whose times are given.
#include "confirm/verdict.h"

#include <gtest/gtest.h>

namespace kymo::confirm {
namespace {

// `count` pairs: the changed run takes `part` of the plain one, or that and `noise` more or less, by turns.
std::vector<Pair> pairs(double part, double noise = 0.01, int count = 10) {
    std::vector<Pair> result;
    for (int i = 0; i < count; ++i) {
        const double plain = 1 + 0.1 * i;
        result.push_back({plain, plain * (part + (i % 2 == 0 ? noise : -noise))});
    }
    return result;
}

TEST(Outcome, IsConfirmedWhereTheRunIsShorter) {
    const Outcome outcome = outcome_of(pairs(0.7), 0.4, true);
    EXPECT_EQ(outcome.verdict, Verdict::kConfirmed);
    EXPECT_NEAR(outcome.gain, 0.3, 0.01);
    EXPECT_LT(outcome.gain_low, 0.3);
    EXPECT_GT(outcome.gain_high, 0.3);
    EXPECT_GE(outcome.confidence, 0.95);
}

TEST(Outcome, IsRefutedWhereItSavesLessThanAQuarterOfWhatWasPromised) {
    EXPECT_EQ(outcome_of(pairs(1.0), 0.4, true).verdict, Verdict::kRefuted);
    EXPECT_EQ(outcome_of(pairs(1.1), 0.4, true).verdict, Verdict::kRefuted) << "longer";
    EXPECT_EQ(outcome_of(pairs(1.0), 0.03, true).verdict, Verdict::kUndecided) << "too little to see";
    EXPECT_EQ(outcome_of(pairs(1.1), 0.4, false).verdict, Verdict::kUndecided) << "another way than the finding's";
}

TEST(Outcome, IsUndecidedWhereTheRunsSpread) {
    EXPECT_EQ(outcome_of(pairs(0.9, 0.2), 0.4, true).verdict, Verdict::kUndecided);
    const Outcome few = outcome_of(pairs(0.5, 0.01, 5), 0.4, true);
    EXPECT_EQ(few.verdict, Verdict::kUndecided);
    EXPECT_EQ(few.confidence, 0);
    EXPECT_NEAR(few.gain, 0.5, 0.02);
    EXPECT_EQ(outcome_of({}, 0.4, true).verdict, Verdict::kUndecided);
}

}  // namespace
}  // namespace kymo::confirm
