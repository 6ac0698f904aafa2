// Terminals and promises against published and hand-computed values.
#include "pairs/design/exact.h"
#include "pairs/design/wish.h"

#include <cmath>
#include <gtest/gtest.h>

namespace kymo::pairs {
namespace {

Rule rule_of(const Wish& wish) {
    const auto rule = make_rule(wish);
    EXPECT_TRUE(rule) << (rule ? "" : rule.error().what);
    EXPECT_TRUE(valid(*rule));
    return *rule;
}

Wish pair_wish(double share, double refuse) {
    Wish wish;
    wish.share = share;
    wish.refuse = refuse;
    wish.confidence = 0.95;
    wish.false_alarm = 1e-3;
    wish.form = Form::kPair;
    return wish;
}

TEST(PairTerminals, AreTakenAsTheyAreGiven) {
    const Wish wish = with_terminals({}, {20, 2}, false, false);
    EXPECT_DOUBLE_EQ(wish.share, 0.1);
    EXPECT_DOUBLE_EQ(wish.refuse, 0.04);
    // 1 − 0.9^20 − 20 · 0.1 · 0.9^19
    EXPECT_NEAR(wish.confidence, 0.608253, 1e-6);
    EXPECT_EQ(wish.false_reports, 0);
    const Rule rule = rule_of(wish);
    EXPECT_EQ(rule.form, Form::kPair);
    for (const Epoch& epoch : rule.epoch) {
        EXPECT_EQ(epoch.start, 20 * rule.unit);
        EXPECT_EQ(epoch.bound, 2U);
    }
    Wish of_share;
    of_share.share = 0.3;
    EXPECT_DOUBLE_EQ(with_terminals(of_share, {20, 2}, true, false).share, 0.3);
    for (const Terminals none : {Terminals{0, 0}, Terminals{20, 0}, Terminals{20, 21}, Terminals{1U << 26U, 2}}) {
        EXPECT_FALSE(make_rule(with_terminals({}, none, false, false)));
    }
    EXPECT_TRUE(make_rule(with_terminals({}, {1, 1}, false, false)));
}

// Terminals found by trying every pair, in exact arithmetic. (Counting the captured event as the first of both, as
// 278/46, 595/49 and 3215/53 do, and asking for power at every larger T1 too, gives slightly larger ones.)
TEST(PairTerminals, AreTheSmallestThatKeepBothErrors) {
    struct Case {
        double share, refuse;
        std::uint32_t all, matching, most;
    };
    for (const Case& c :
         {Case{0.2, 0.1, 271, 44, 277}, Case{0.1, 0.05, 593, 48, 594}, Case{0.02, 0.01, 3102, 50, 3214}}) {
        const Rule rule = rule_of(pair_wish(c.share, c.refuse));
        EXPECT_EQ(rule.epoch[0].start / rule.unit, c.all);
        EXPECT_EQ(rule.epoch[0].bound, c.matching);
        EXPECT_LE(rule.epoch[0].start / rule.unit, c.most);
        EXPECT_GE(test_of(rule, 0, c.share).detect, 0.95);
        EXPECT_LE(test_of(rule, 0, c.refuse).detect, 1e-3);
    }
}

// Taken literally, 278/46 detects 93.8 % only.
TEST(PairTerminals, CountingTheCapturedEventWouldMissMore) {
    Rule rule = rule_of(pair_wish(0.2, 0.1));
    rule.epoch[0].start = 278 * rule.unit;
    rule.epoch[0].bound = 46;
    EXPECT_NEAR(test_of(rule, 0, 0.2).detect, 0.938, 0.001);
}

TEST(PairTest, LengthIsThatOfTheSumOverEvents) {
    Rule rule = rule_of(pair_wish(0.2, 0.1));
    rule.unit = 1;
    rule.epoch[0].start = 12;
    rule.epoch[0].bound = 3;
    for (const double p : {0.05, 0.25, 0.9}) {
        // Σ over n = 1 … T1 of P[Bin(n − 1, p) < T2], by the recursion for the binomial.
        double below[3] = {1, 0, 0};
        double length = 0;
        for (int n = 1; n <= 12; ++n) {
            length += below[0] + below[1] + below[2];
            for (int k = 2; k >= 0; --k) {
                below[k] = below[k] * (1 - p) + (k > 0 ? below[k - 1] * p : 0);
            }
        }
        EXPECT_NEAR(test_of(rule, 0, p).events, length, 1e-9);
    }
}

// With a gain of whole events the walk is on integers: solved here by iterating its equations.
TEST(SequentialTest, MatchesTheWalksEquations) {
    Rule rule;
    rule.form = Form::kSequential;
    rule.unit = 8;
    rule.gain = 5 * 8;
    rule.hold = rule.hold_gain = 1;
    rule.epochs = 1;
    rule.epoch[0] = {7 * 8, 30 * 8};
    ASSERT_TRUE(valid(rule));
    for (const double p : {0.05, 0.2, 0.4}) {
        double up[31] = {};
        double time[31] = {};
        for (int round = 0; round < 20'000; ++round) {
            for (int s = 1; s < 30; ++s) {
                const int high = s + 4;
                up[s] = p * (high >= 30 ? 1 : up[high]) + (1 - p) * up[s - 1];
                time[s] = 1 + p * (high >= 30 ? 0 : time[high]) + (1 - p) * time[s - 1];
            }
        }
        const TestOutcome test = test_of(rule, 0, p);
        EXPECT_NEAR(test.detect, up[7], 1e-9);
        EXPECT_NEAR(test.events, time[7], 1e-6);
        EXPECT_LT(test.events_detected, 4 * time[7]);
    }
}

// Wald's bounds: the true errors are at most α/(1 − β) and β/(1 − α).
TEST(SequentialTest, KeepsWaldsBounds) {
    for (const double share : {0.5, 0.2, 0.05, 0.01, 0.001}) {
        for (const double alpha : {1e-2, 1e-4, 1e-6}) {
            Wish wish;
            wish.share = share;
            wish.refuse = share / 2;
            wish.confidence = 0.95;
            wish.false_alarm = alpha;
            const Rule rule = rule_of(wish);
            EXPECT_LE(test_of(rule, 0, share / 2).detect, alpha / 0.95) << share << ' ' << alpha;
            EXPECT_GE(test_of(rule, 0, share).detect, 1 - 0.05 / (1 - alpha) - 1e-9) << share << ' ' << alpha;
        }
    }
}

TEST(FalseReports, TheBudgetOfAllEpochsIsTheWholeRuns) {
    Wish wish;
    wish.false_reports = 0.01;
    double spent = 0;
    for (std::uint32_t i = 0; i < kMaxEpochs; ++i) {
        spent += std::exp2(i) * false_alarm(wish, i);
    }
    EXPECT_LT(spent, 0.01);
    EXPECT_GT(spent, 0.009);
    const Rule rule = rule_of(wish);
    for (std::uint32_t i = 1; i < kMaxEpochs; ++i) {
        EXPECT_GT(rule.epoch[i].bound, rule.epoch[i - 1].bound);
    }
}

TEST(MakeRule, RefusesWhatCannotBeHuntedFor) {
    const auto refused = [](auto change) {
        Wish wish;
        change(wish);
        const auto rule = make_rule(wish);
        return !rule && !rule.error().next.empty() && rule.error().kind == ErrorKind::kUsage;
    };
    EXPECT_TRUE(refused([](Wish& w) { w.share = 0; }));
    EXPECT_TRUE(refused([](Wish& w) { w.share = 1; }));
    EXPECT_TRUE(refused([](Wish& w) { w.share = NAN; }));
    EXPECT_TRUE(refused([](Wish& w) { w.refuse = 0.05; }));
    EXPECT_TRUE(refused([](Wish& w) { w.refuse = 0; }));
    EXPECT_TRUE(refused([](Wish& w) { w.confidence = 1; }));
    EXPECT_TRUE(refused([](Wish& w) { w.confidence = 0.3; }));
    EXPECT_TRUE(refused([](Wish& w) { w.false_reports = 0; }));
    EXPECT_TRUE(refused([](Wish& w) { w.cells = 0; }));
    EXPECT_TRUE(refused([](Wish& w) { w.cells = 17; }));
    EXPECT_TRUE(refused([](Wish& w) { w.period = 0; }));
    EXPECT_TRUE(refused([](Wish& w) {
        w.share = 1e-8;
        w.refuse = 0.99e-8;
    }));
}

TEST(Promise, GrowsAsTheShareShrinks) {
    double before = 0;
    for (const double share : {0.5, 0.2, 0.1, 0.05, 0.01}) {
        Wish wish;
        wish.share = share;
        wish.refuse = share / 2.5;
        const Rule rule = rule_of(wish);
        const Promise said = promise(rule, wish.share, wish.refuse);
        EXPECT_LT(said.miss, 0.0101);
        EXPECT_GT(said.events_alone, before);
        EXPECT_GE(said.events_among_many, said.events_alone);
        before = said.events_alone;
    }
}

}  // namespace
}  // namespace kymo::pairs
