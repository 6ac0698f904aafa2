// What rules ask of the evidence, on occurrences made by hand.
#include "findings/rules/shared/common.h"

#include "findings/cases/make.h"
#include "findings/rules/shared/alone.h"
#include "made_evidence.h"

#include <gtest/gtest.h>
#include <limits>

namespace kymo::findings {
namespace {

using namespace spacetime;

TEST(RegularAmount, IsTheDistanceThatFourFifthsKeep) {
    const auto amount = [](std::vector<double> amounts) { return regular_amount(amounts); };
    EXPECT_EQ(amount({0, 10, 20, 30, 40}), 10);
    EXPECT_EQ(amount({5, 15, 26, 35, 45, 55}), 10);  // 10 11 9 10 10: to one in ten
    EXPECT_EQ(amount({0, 10, 20, 30, 40, 70}), 10);  // one of five is off
    EXPECT_EQ(amount({0, 10, 20, 32, 60, 70}), 0);   // two of five are
    EXPECT_EQ(amount({0, 10, 20, 30}), 0);           // four events say nothing
    EXPECT_EQ(amount({7, 7, 7, 7, 7, 7}), 0);        // nothing happens in between
    EXPECT_EQ(amount({}), 0);
}

// A loop in which one thread works alone for a while: 60 ms of user time without company, then both work together.
class Serial : public ::testing::Test {
  protected:
    Serial() : made_({}, 2) {
        loop_ = made_.add_node("loop");
        alone_ = made_.add_node("alone", loop_);
        both_ = made_.add_node("both", loop_);
        elsewhere_ = made_.add_node("elsewhere");
    }
    void occurrence(std::uint32_t node, std::uint32_t thread, std::int64_t begin_ms, std::int64_t user_ms,
                    float active) {
        made_.add_occurrence(node, {.thread = thread,
                                    .begin = static_cast<std::uint64_t>(begin_ms * kMs),
                                    .terms = {.user = user_ms * kMs}});
        made_.evidence.nodes[node].rows.active_threads.back() = active;
    }
    double serial_ms(std::uint32_t node) { return serial_ns(made_.evidence, NodeIndex(node)) / kMs; }

    MadeEvidence made_;
    std::uint32_t loop_ = 0;
    std::uint32_t alone_ = 0;
    std::uint32_t both_ = 0;
    std::uint32_t elsewhere_ = 0;
};

TEST_F(Serial, CostsWhatSharingWouldSave) {
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        occurrence(loop_, thread, 0, 100, 1.5F);
        occurrence(both_, thread, 60, 40, 2);
    }
    occurrence(alone_, 0, 0, 60, 1);
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 30);  // two threads occurrence the loop: half of 60
    EXPECT_DOUBLE_EQ(serial_ms(alone_), 0);  // one thread is in it: nobody there to share
    made_.evidence.run.processors = 1;       // nor a processor
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
}

TEST_F(Serial, AnIterationIsAskedByItsLoop) {
    occurrence(loop_, 0, 0, 60, 1.5F);
    occurrence(loop_, 1, 0, 60, 1.5F);
    occurrence(alone_, 0, 0, 60, 1);
    const std::uint32_t rounds = made_.add_node("loop", loop_, SpaceKind::kIteration);
    EXPECT_DOUBLE_EQ(serial_ms(rounds), 30);
}

TEST_F(Serial, TurnsOfSeveralThreadsAddUpButNotWhatOverlaps) {
    occurrence(loop_, 0, 0, 100, 1.5F);
    occurrence(loop_, 1, 0, 100, 1.5F);
    occurrence(alone_, 0, 0, 20, 1);
    occurrence(alone_, 1, 20, 20, 1);
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 20);
    occurrence(alone_, 0, 30, 20, 1);  // 10 of 60 ms in both: more than a tenth, which sampling may blur
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
}

// A thread that has little of the work, all of it beside the other's, has its share of the loop: an uneven one.
TEST_F(Serial, AThreadWithLittleToDoTakesNoTurns) {
    occurrence(loop_, 0, 0, 100, 1.5F);
    occurrence(loop_, 1, 0, 100, 1.5F);
    occurrence(alone_, 0, 0, 100, 1);
    occurrence(alone_, 1, 0, 5, 1);
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
}

TEST_F(Serial, WhatPollsLiesElsewhereOrHasCompanyDoesNotCount) {
    occurrence(loop_, 0, 0, 100, 1.5F);
    occurrence(loop_, 1, 0, 100, 1.5F);
    occurrence(elsewhere_, 0, 100, 60, 1);
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
    occurrence(alone_, 0, 0, 60, 1.3F);  // a third of another thread, on average
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
    made_.evidence.nodes[alone_].rows.active_threads.back() = 1;
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 30);
    made_.evidence.nodes[alone_].rows.active_threads.back() = std::numeric_limits<float>::quiet_NaN();
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
    made_.evidence.nodes[alone_].rows.active_threads.back() = 1;
    made_.evidence.nodes[alone_].polls = true;
    EXPECT_DOUBLE_EQ(serial_ms(loop_), 0);
}

// Two threads, `count` steps; thread 0 takes 10 ms a step, thread 1 as long as is said, each right after its last.
std::size_t steps_of(std::uint64_t second_ms, std::uint32_t count) {
    MadeEvidence made({}, 2);
    const std::uint32_t node = made.add_node("work");
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        const std::uint64_t ms = thread == 0 ? 10 : second_ms;
        for (std::uint32_t step = 0; step < count; ++step) {
            made.add_occurrence(node, {.thread = thread,
                                       .begin = step * ms * static_cast<std::uint64_t>(kMs),
                                       .terms = {.user = static_cast<std::int64_t>(ms) * kMs},
                                       .step = step});
        }
    }
    std::vector<Case> cases;
    add_thread_cases(made.evidence, &cases);
    return cases.size() == 1 ? cases[0].steps.size() : 0;
}

TEST(KeepStep, StepsThatRunIntoEachOtherAreOne) {
    EXPECT_EQ(steps_of(10, 6), 6U);
    // 13 ms: step s lasts from 10 s to 13 s + 13, step s + 1 begins at 10 s + 10: they share 3 s + 3 of 3 s + 13 ms,
    // a quarter or less for s = 0 alone: steps 1 to 5 are one.
    EXPECT_EQ(steps_of(13, 6), 2U);
    EXPECT_EQ(steps_of(13, 2), 2U);
    EXPECT_EQ(steps_of(20, 6), 1U);
    EXPECT_EQ(steps_of(10, 1), 1U);
}

}  // namespace
}  // namespace kymo::findings
