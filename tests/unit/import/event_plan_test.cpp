#include "import/event_plan.h"

#include "recording/tables/events.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <string>

namespace kymo::import {
namespace {

perf::Attribute attribute(std::string name, std::uint32_t type, std::uint64_t config) {
    perf::Attribute made;
    made.name = std::move(name);
    made.type = type;
    made.config = config;
    made.period = 1000;
    made.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
    return made;
}

TEST(EventPlan, AClockIsThePaceWhateverItsPlace) {
    const std::vector<perf::Attribute> attributes = {
        attribute("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
        attribute("cpu-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)};
    const EventPlan plan = plan_events(attributes);
    EXPECT_EQ(plan.kind, Pace::kCounted);
    EXPECT_EQ(plan.pace, 1U);
    EXPECT_EQ(plan.clock, 1U);
    ASSERT_EQ(plan.events.size(), 3U);
    EXPECT_EQ(plan.events[0].name, "page-faults");
    EXPECT_EQ(plan.events[1].name, "task-clock");
    EXPECT_EQ(plan.events[1].unit, "ns");
    EXPECT_EQ(plan.events[2].name, "system-time");
    EXPECT_EQ(plan.system, 2U);
}

TEST(EventPlan, CyclesGiveAnEstimateOfTime) {
    std::vector<perf::Attribute> attributes = {
        attribute("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
        attribute("cpu_core/cycles/P", PERF_TYPE_HARDWARE, 0x4'0000'0000U | PERF_COUNT_HW_CPU_CYCLES)};
    attributes[1].is_frequency = true;
    attributes[1].frequency = 4000;
    attributes[1].period = 0;
    const EventPlan plan = plan_events(attributes);
    EXPECT_EQ(plan.kind, Pace::kEstimated);
    EXPECT_EQ(plan.pace, 1U);
    EXPECT_EQ(plan.clock, 2U);
    EXPECT_DOUBLE_EQ(plan.usual_gap_ns, 250'000);
    EXPECT_EQ(plan.events[1].name, "cycles");
    EXPECT_EQ(plan.events[1].mode, static_cast<std::uint64_t>(recording::EventMode::kFrequency));
    EXPECT_EQ(plan.events[2].name, "task-clock");
}

TEST(EventPlan, WakesAreThoseOfTheWakingThreadWhereThereAreBoth) {
    std::vector<perf::Attribute> attributes = {attribute("sched:sched_waking", PERF_TYPE_TRACEPOINT, 1),
                                               attribute("sched:sched_wakeup", PERF_TYPE_TRACEPOINT, 2),
                                               attribute("sched:sched_waking", PERF_TYPE_TRACEPOINT, 1)};
    EXPECT_GE(plan_events(attributes).wakes, attributes.size());  // without the tracepoint's fields
    attributes[1].sample_type |= PERF_SAMPLE_RAW;
    EXPECT_EQ(plan_events(attributes).wakes, 1U);
    attributes[2].sample_type |= PERF_SAMPLE_RAW;
    EXPECT_EQ(plan_events(attributes).wakes, 2U);
}

TEST(EventPlan, OtherEventsSayNothingOfTime) {
    const std::vector<perf::Attribute> attributes = {
        attribute("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS)};
    EXPECT_EQ(plan_events(attributes).kind, Pace::kUnknown);
    EXPECT_EQ(plan_events({}).kind, Pace::kUnknown);
}

TEST(EventPlan, SamplesWithoutTimesSayNothingOfTimeEither) {
    std::vector<perf::Attribute> attributes = {attribute("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK)};
    EXPECT_TRUE(plan_events(attributes).has_times);
    attributes[0].sample_type = PERF_SAMPLE_IP;
    EXPECT_FALSE(plan_events(attributes).has_times);
    EXPECT_EQ(plan_events(attributes).kind, Pace::kUnknown);
}

TEST(EventPlan, EventsThatDifferByTheirModifiersKeepThem) {
    const std::vector<perf::Attribute> attributes = {
        attribute("cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
        attribute("cycles:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
        attribute("cpu/event=0x3c,umask=0x1/", PERF_TYPE_RAW, 0x13c), attribute("sched:sched_switch", 2, 300)};
    const EventPlan plan = plan_events(attributes);
    EXPECT_EQ(plan.events[0].name, "cycles:u");
    EXPECT_EQ(plan.events[1].name, "cycles:k");
    EXPECT_EQ(plan.events[2].name, "cpu/event=0x3c,umask=0x1/");
    EXPECT_EQ(plan.events[3].name, "sched:sched_switch");
}

}  // namespace
}  // namespace kymo::import
