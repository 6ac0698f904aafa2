#include "events/attributes.h"

#include "events/generic.h"

#include <gtest/gtest.h>

namespace kymo::events {
namespace {

SessionEvent named(const char* name) {
    return generic_event(name).value();
}

TEST(Attributes, WhatEveryCounterHas) {
    const perf_event_attr attr = make_attributes(named("page-faults"), false);
    EXPECT_EQ(attr.disabled, 1U);
    EXPECT_EQ(attr.inherit, 0U);
    EXPECT_EQ(attr.exclude_hv, 1U);
    EXPECT_EQ(attr.use_clockid, 1U);
    EXPECT_EQ(attr.clockid, CLOCK_MONOTONIC);
    EXPECT_EQ(attr.wakeup_events, 1U);
    EXPECT_EQ(attr.sample_type, kSampleType);
    EXPECT_EQ(attr.read_format, kReadFormat);
    EXPECT_EQ(make_attributes(named("page-faults"), true).read_format, kReadFormat | kReadFormatLost);
}

TEST(Attributes, CountingIncludesTheKernelUnlessToldOtherwise) {
    SessionEvent event = named("page-faults");
    EXPECT_EQ(make_attributes(event, false).exclude_kernel, 0U);
    event.user_only = true;
    EXPECT_EQ(make_attributes(event, false).exclude_kernel, 1U);
}

TEST(Attributes, SamplingNeverIncludesTheKernel) {
    for (const char* name : {"task-clock", "page-faults", "cycles"}) {
        SessionEvent event = named(name);
        event.mode = Mode::kPeriod;
        event.value = 1;
        EXPECT_EQ(make_attributes(event, false).exclude_kernel, 1U) << name;
    }
}

TEST(Attributes, ClocksHaveExactPeriods) {
    SessionEvent event = named("task-clock");
    event.mode = Mode::kFrequency;
    event.value = 1000;
    perf_event_attr attr = make_attributes(event, false);
    EXPECT_EQ(attr.freq, 0U);
    EXPECT_EQ(attr.sample_period, 1'000'000U);
    event.value = 2'000'000'000;
    EXPECT_EQ(make_attributes(event, false).sample_period, 1U);
    event.mode = Mode::kPeriod;
    event.value = 12345;
    EXPECT_EQ(make_attributes(event, false).sample_period, 12345U);
}

TEST(Attributes, OtherFrequenciesAreTheKernels) {
    SessionEvent event = named("cycles");
    event.mode = Mode::kFrequency;
    event.value = 997;
    event.precise = 2;
    const perf_event_attr attr = make_attributes(event, false);
    EXPECT_EQ(attr.freq, 1U);
    EXPECT_EQ(attr.sample_freq, 997U);
    EXPECT_EQ(attr.precise_ip, 2U);
}

TEST(Attributes, WhatHappensInTheKernelOnly) {
    EXPECT_TRUE(counts_only_in_kernel(named("context-switches")));
    EXPECT_TRUE(counts_only_in_kernel(named("cpu-migrations")));
    EXPECT_TRUE(counts_only_in_kernel(named("cgroup-switches")));
    EXPECT_FALSE(counts_only_in_kernel(named("page-faults")));
    EXPECT_FALSE(counts_only_in_kernel(named("task-clock")));
    EXPECT_FALSE(counts_only_in_kernel(named("cycles")));  // same config number as cpu-clock, another type
}

}  // namespace
}  // namespace kymo::events
