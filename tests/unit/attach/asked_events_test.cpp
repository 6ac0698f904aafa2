#include "attach/asked_events.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kymo::attach {
namespace {

// A kernel that may forbid to count itself, and has no hardware counters.
class AskedKernel final : public events::CounterOpener {
  public:
    bool is_kernel_permitted = true;
    int open_now = 0;

    int open(perf_event_attr& attr, int /*thread*/, int /*processor*/, int /*leader*/) override {
        if (attr.type == PERF_TYPE_HARDWARE) {
            return -ENOENT;
        }
        if (attr.exclude_kernel == 0 && !is_kernel_permitted) {
            return -EACCES;
        }
        ++open_now;
        return 5;
    }
    void close(int /*counter*/) override { --open_now; }
    bool counts_whole(int /*leader*/) override { return true; }
};

events::Machine machine() {
    events::Machine made;
    made.kernel_counting = true;
    made.hardware_error = ENOENT;
    made.max_sample_rate = 100'000;
    return made;
}

class AskedEvents : public testing::Test {
  protected:
    Result<void> ask(const std::vector<std::string>& requests) {
        auto done = ask_for(requests, machine(), kernel, &settings);
        EXPECT_EQ(kernel.open_now, 0);
        return done;
    }
    AskedKernel kernel;
    SampleSettings settings;
};

TEST_F(AskedEvents, TakeSamplesByPeriodAndFrequency) {
    ASSERT_TRUE(ask({"page-faults:period=10", "minor-faults:freq=50"}));
    ASSERT_EQ(settings.asked.size(), 2U);
    const perf_event_attr by_period = asked_event(settings.asked[0], Scope(), settings, true);
    EXPECT_EQ(by_period.sample_period, 10U);
    EXPECT_EQ(by_period.freq, 0U);
    // With it the kernel would take a sample of each.
    EXPECT_EQ(by_period.sample_type & PERF_SAMPLE_PERIOD, 0U);
    EXPECT_EQ(by_period.exclude_kernel, 0U);
    EXPECT_NE(by_period.sample_type & PERF_SAMPLE_STACK_USER, 0U);
    const perf_event_attr by_frequency = asked_event(settings.asked[1], Scope(), settings, true);
    EXPECT_EQ(by_frequency.freq, 1U);
    EXPECT_EQ(by_frequency.sample_freq, 50U);
    EXPECT_NE(by_frequency.sample_type & PERF_SAMPLE_PERIOD, 0U);
    const auto told = described(by_frequency, "minor-faults");
    EXPECT_TRUE(told.is_frequency);
    EXPECT_EQ(told.frequency, 50U);
    EXPECT_EQ(told.period, 0U);
}

TEST_F(AskedEvents, WithoutARateHaveOneThatFits) {
    ASSERT_TRUE(ask({"page-faults", "cpu-migrations", "cpu-clock"}));
    ASSERT_EQ(settings.asked.size(), 3U);
    EXPECT_EQ(settings.asked[0].value, events::kDefaultFaultPeriod);
    EXPECT_EQ(settings.asked[0].mode, events::Mode::kPeriod);
    EXPECT_EQ(settings.asked[1].value, 1U);
    EXPECT_EQ(settings.asked[1].mode, events::Mode::kPeriod);
    EXPECT_EQ(asked_event(settings.asked[2], Scope(), settings, true).sample_period, 1'000'000U);
}

TEST_F(AskedEvents, SetTheClockAndLeaveSwitchesAsTheyAre) {
    ASSERT_TRUE(ask({"task-clock:freq=250", "context-switches:period=7", "task-clock"}));
    EXPECT_EQ(settings.clock_period_ns, 4'000'000U);
    EXPECT_TRUE(settings.asked.empty());
}

TEST_F(AskedEvents, AskedTwiceHaveTheLastRate) {
    ASSERT_TRUE(ask({"page-faults:period=10", "page-faults:period=20"}));
    ASSERT_EQ(settings.asked.size(), 1U);
    EXPECT_EQ(settings.asked[0].value, 20U);
}

TEST_F(AskedEvents, WithoutTheKernelAreThoseOfUserModeAlone) {
    kernel.is_kernel_permitted = false;
    ASSERT_TRUE(ask({"page-faults"}));
    EXPECT_TRUE(settings.asked[0].user_only);
    EXPECT_EQ(asked_event(settings.asked[0], Scope(), settings, true).exclude_kernel, 1U);
    for (const char* name : {"context-switches", "cpu-migrations"}) {
        const auto refused = ask({name});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::kPermission);
        EXPECT_NE(refused.error().what.find(name), std::string::npos);
    }
}

TEST_F(AskedEvents, AreRefusedWithTheReason) {
    const auto cycles = ask({"cycles"});
    ASSERT_FALSE(cycles);
    EXPECT_EQ(cycles.error().kind, ErrorKind::kUnsupported);
    EXPECT_FALSE(ask({"cpu-clock:period=1"}));
    EXPECT_FALSE(ask({"cpu-clock:freq=200000"}));
    EXPECT_FALSE(ask({""}));
}

}  // namespace
}  // namespace kymo::attach
