// Which clock samples a thread, by how often it was switched; and where the kernel's tick found it.
#include "monitor/sampling/tick_trigger.h"

#include "../usage.h"

#include <gtest/gtest.h>

namespace kymo::monitor {
namespace {

using testing::used;

constexpr std::uint64_t kMs = 1'000'000;

rusage switched(long voluntary, long involuntary) {
    rusage usage{};
    usage.ru_nvcsw = voluntary;
    usage.ru_nivcsw = involuntary;
    return usage;
}

TEST(TickTrigger, DecidesByNoLessThanAWindow) {
    TickTrigger trigger;
    EXPECT_FALSE(trigger.is_decision_due(19 * kMs));
    EXPECT_TRUE(trigger.is_decision_due(20 * kMs));
    trigger.choose(20 * kMs, switched(0, 0));
    EXPECT_FALSE(trigger.is_decision_due(39 * kMs));
}

TEST(TickTrigger, AThreadThatIsSwitchedOftenIsSampledAtTheTick) {
    TickTrigger trigger;
    // 41 switches in 20 ms of its time: one in less than half a millisecond.
    EXPECT_EQ(trigger.choose(20 * kMs, switched(30, 11)), TickTrigger::Choice::kTick);
    trigger.begin(20 * kMs, used(0, 0));
    EXPECT_TRUE(trigger.is_at_tick());
    // One in a millisecond: neither often nor seldom.
    EXPECT_EQ(trigger.choose(40 * kMs, switched(50, 11)), TickTrigger::Choice::kAsItIs);
    // 9 in 20 ms: seldom.
    EXPECT_EQ(trigger.choose(60 * kMs, switched(59, 11)), TickTrigger::Choice::kOverflow);
    trigger.end();
    EXPECT_EQ(trigger.choose(80 * kMs, switched(68, 11)), TickTrigger::Choice::kAsItIs);
}

TEST(TickTrigger, OnlySwitchesSinceTheChoiceBeforeCount) {
    TickTrigger trigger;
    trigger.choose(20 * kMs, switched(1'000'000, 0));
    EXPECT_EQ(trigger.choose(40 * kMs, switched(1'000'040, 0)), TickTrigger::Choice::kAsItIs);
    EXPECT_EQ(trigger.choose(60 * kMs, switched(1'000'081, 0)), TickTrigger::Choice::kTick);
}

TEST(TickTrigger, ASampleIsDueHalfAPeriodAfterTheOneBefore) {
    TickTrigger trigger;
    trigger.begin(100 * kMs, used(0, 0));
    EXPECT_FALSE(trigger.is_sample_due(101 * kMs, 4 * kMs));
    EXPECT_TRUE(trigger.is_sample_due(102 * kMs, 4 * kMs));
    trigger.take(102 * kMs, used(1000, 0));
    EXPECT_FALSE(trigger.is_sample_due(103 * kMs, 4 * kMs));
}

// The kernel divides a thread's time as its ticks found it: the part that grows is where this one did.
TEST(TickTrigger, TheAccountTellsWhereTheTickFoundTheThread) {
    TickTrigger trigger;
    trigger.begin(0, used(3000, 1000));
    EXPECT_TRUE(trigger.take(4 * kMs, used(4800, 3200)));
    EXPECT_FALSE(trigger.take(8 * kMs, used(8000, 4000)));
    EXPECT_FALSE(trigger.take(12 * kMs, used(20'000, 4000)));
}

}  // namespace
}  // namespace kymo::monitor
