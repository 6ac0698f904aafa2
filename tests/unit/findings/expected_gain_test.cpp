// The interval of what a run is expected to be shorter by.
#include "findings/expected_gain.h"

#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

TEST(ExpectedGain, IsAroundTheShareAndNeverAllOfTheRun) {
    for (const TermSet terms : {set_of(Term::kUser), set_of(Term::kSystem), set_of(Term::kWaiting), kAllTerms}) {
        for (const double share : {0.01, 0.2, 0.5, 0.9, 1.0}) {
            const ExpectedGain gain = expected_gain(share, terms);
            EXPECT_LE(gain.low, share);
            EXPECT_LE(gain.low, gain.high);
            EXPECT_GT(gain.high, 0.98 * share);
            EXPECT_LT(gain.high, 1);
        }
    }
}

TEST(ExpectedGain, IsWiderForWaitsThanForWorkAndLargerForTheKernels) {
    const ExpectedGain work = expected_gain(0.3, set_of(Term::kUser, Term::kSystem));
    const ExpectedGain kernel = expected_gain(0.3, set_of(Term::kSystem, Term::kWaiting));
    const ExpectedGain waits = expected_gain(0.3, set_of(Term::kWaiting));
    EXPECT_LT(waits.low, work.low);
    EXPECT_LT(work.high, waits.high);
    EXPECT_LT(work.low, kernel.low);
}

TEST(ExpectedGain, IsNoMoreThanTheLeastOfTheRule) {
    const ExpectedGain usual = expected_gain(0.3, set_of(Term::kWaiting));
    const ExpectedGain less = expected_gain(0.3, set_of(Term::kWaiting), 0.2);
    EXPECT_DOUBLE_EQ(less.low, 0.3 * 0.2);
    EXPECT_EQ(less.high, usual.high);
}

}  // namespace
}  // namespace kymo::findings
