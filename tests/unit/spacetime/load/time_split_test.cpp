#include "spacetime/load/time_split.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

Interval tick(std::uint64_t end, std::uint64_t task_clock) {
    return {.end = end, .task_clock = task_clock, .is_tick = true};
}

TEST(TimeSplit, WhatTaskClockAddsBeyondThePeriodIsSystemTime) {
    TimeSplitter splitter(100, 10);
    EXPECT_EQ(splitter.split(tick(110, 10)), (Split{10, 0, 0, 0}));
    EXPECT_EQ(splitter.split(tick(150, 30)), (Split{10, 20, 10, 0}));
    EXPECT_EQ(splitter.split(tick(160, 4)), (Split{4, 0, 6, 0}));
}

// Samples that come late by a little, and the next one in time: no system time comes of that.
TEST(TimeSplit, WhatIsLessThanHalfAPeriodBeyondIsLateness) {
    TimeSplitter splitter(0, 10);
    EXPECT_EQ(splitter.split(tick(14, 14)), (Split{14, 0, 0, 0}));
    EXPECT_EQ(splitter.split(tick(20, 6)), (Split{6, 0, 0, 0}));
    EXPECT_EQ(splitter.split(tick(35, 15)), (Split{10, 5, 0, 0})) << "one is missing, and this one early";
    EXPECT_EQ(splitter.split({.end = 40, .task_clock = 5}), (Split{5, 0, 0, 0})) << "another event's sample";
    EXPECT_EQ(splitter.split(tick(48, 8)), (Split{8, 0, 0, 0}));
    EXPECT_EQ(splitter.split(tick(68, 20)), (Split{10, 10, 0, 0}));
}

// Samples that were made one to save space: as many periods of the program's time.
TEST(TimeSplit, SamplesMadeOneHaveTheirPeriodsTogether) {
    const auto made_one = [](std::uint64_t end, std::uint64_t task_clock, std::uint64_t samples) {
        return Interval{.end = end, .task_clock = task_clock, .is_tick = true, .samples = samples};
    };
    TimeSplitter splitter(0, 10);
    EXPECT_EQ(splitter.split(made_one(40, 40, 4)), (Split{40, 0, 0, 0}));
    EXPECT_EQ(splitter.split(made_one(140, 90, 6)), (Split{60, 30, 10, 0})) << "three found the kernel";
    EXPECT_EQ(splitter.split(made_one(190, 34, 3)), (Split{34, 0, 16, 0})) << "late";
    EXPECT_EQ(splitter.split(tick(200, 10)), (Split{10, 0, 0, 0}));
    EXPECT_EQ(splitter.split(made_one(300, 100, UINT64_MAX)), (Split{100, 0, 0, 0}))
        << "nonsense stays within bounds";
}

// The sums are those of the single samples, whichever are made one.
TEST(TimeSplit, MakingSamplesOneKeepsTheSums) {
    std::minstd_rand random(7);
    for (unsigned round = 0; round < 200; ++round) {
        TimeSplitter single(0, 1000);
        TimeSplitter joined(0, 1000);
        Split sum_of_single;
        Split sum_of_joined;
        const auto add = [](Split& sum, const Split& more) {
            sum.user += more.user;
            sum.system += more.system;
            sum.off_cpu += more.off_cpu;
        };
        std::uint64_t time = 0;
        Interval open{.end = 0, .task_clock = 0, .is_tick = true, .samples = 0};
        for (unsigned i = 0; i < 500; ++i) {
            const std::uint64_t missed = random() % 4 == 0 ? random() % 5 : 0;  // ticks that found the kernel
            const std::uint64_t on = 1000 * (1 + missed);
            time += on + random() % 300;
            add(sum_of_single, single.split(tick(time, on)));
            open.end = time;
            *open.task_clock += on;
            ++open.samples;
            if (random() % 20 == 0 || i == 499) {
                add(sum_of_joined, joined.split(open));
                open.task_clock = 0;
                open.samples = 0;
            }
        }
        EXPECT_EQ(sum_of_single, sum_of_joined);
    }
}

// Each stands for all of the processor time since the one before, in the program or in the kernel.
TEST(TimeSplit, SamplesAtTheKernelsTickTellWhereTheyWere) {
    const auto at_tick = [](std::uint64_t end, std::uint64_t task_clock, bool in_kernel) {
        return Interval{
            .end = end, .task_clock = task_clock, .is_tick = true, .at_tick = true, .in_kernel = in_kernel};
    };
    TimeSplitter splitter(0, 10);
    EXPECT_EQ(splitter.split(tick(10, 10)), (Split{10, 0, 0, 0}));
    EXPECT_EQ(splitter.split(at_tick(60, 40, false)), (Split{40, 0, 10, 0, true}));
    EXPECT_EQ(splitter.split({.end = 100, .task_clock = 40}), (Split{40, 0, 0, 0, true})) << "another event's sample";
    EXPECT_EQ(splitter.split(at_tick(130, 15, true)), (Split{0, 15, 15, 0, true}));
    EXPECT_EQ(splitter.split(tick(160, 25)), (Split{10, 15, 5, 0})) << "after a period again";
}

// The kernel's timer goes off after the first period again and again until it finds the thread in the program.
TEST(TimeSplit, AFirstPeriodOfItsOwnEndsWithTheFirstSample) {
    constexpr std::int64_t kUs = 1'000;
    const auto at = [](std::uint64_t end, std::uint64_t task_clock) { return tick(end * kUs, task_clock * kUs); };
    TimeSplitter in_time(0, 1000 * kUs, 200 * kUs);
    EXPECT_EQ(in_time.split(at(220, 220)), (Split{220 * kUs, 0, 0, 0}));
    EXPECT_EQ(in_time.split(at(1220, 1000)), (Split{1000 * kUs, 0, 0, 0}));
    EXPECT_EQ(in_time.split(at(3720, 2500)), (Split{1000 * kUs, 1500 * kUs, 0, 0}));
    TimeSplitter later(0, 1000 * kUs, 200 * kUs);
    EXPECT_EQ(later.split(at(610, 600)), (Split{0, 600 * kUs, 10 * kUs, 0})) << "the first two met the kernel";
    EXPECT_EQ(later.split(at(1610, 1000)), (Split{1000 * kUs, 0, 0, 0}));
    TimeSplitter never(0, 1000 * kUs, 200 * kUs);
    EXPECT_EQ(never.split({.end = 100 * kUs, .task_clock = 100 * kUs}), (Split{100 * kUs, 0, 0, 0}));
    EXPECT_EQ(never.split({.end = 900 * kUs, .task_clock = 800 * kUs}), (Split{100 * kUs, 700 * kUs, 0, 0}));
}

TEST(TimeSplit, OtherEventsShareOnePeriodOfUserTime) {
    TimeSplitter splitter(0, 10);
    EXPECT_EQ(splitter.split({.end = 6, .task_clock = 6}), (Split{6, 0, 0, 0}));
    EXPECT_EQ(splitter.split({.end = 12, .task_clock = 6}), (Split{4, 2, 0, 0}));
    EXPECT_EQ(splitter.split(tick(20, 8)), (Split{0, 8, 0, 0}));
    EXPECT_EQ(splitter.split(tick(30, 10)), (Split{10, 0, 0, 0}));
}

TEST(TimeSplit, SystemTimeIsTakenWhereItIsMeasured) {
    TimeSplitter splitter(0, 10);
    EXPECT_EQ(splitter.split({.end = 100, .task_clock = 80, .system_time = 30, .is_tick = true}),
              (Split{50, 30, 20, 0}));
    EXPECT_EQ(splitter.split({.end = 110, .task_clock = 10, .system_time = 30, .is_tick = true}),
              (Split{0, 10, 0, 0}));
}

TEST(TimeSplit, WithoutAPeriodProcessorTimeIsUserTime) {
    TimeSplitter splitter(0, 0);
    EXPECT_EQ(splitter.split({.end = 100, .task_clock = 80}), (Split{80, 0, 20, 0}));
}

TEST(TimeSplit, WithoutTaskClockAllIsUserTime) {
    TimeSplitter splitter(0, 0);
    EXPECT_EQ(splitter.split({.end = 100}), (Split{100, 0, 0, 0}));
}

TEST(TimeSplit, APauseIsNotOffCpuTime) {
    TimeSplitter splitter(0, 10);
    EXPECT_EQ(splitter.split({.end = 500, .task_clock = 10, .is_tick = true, .after_pause = true}),
              (Split{10, 0, 0, 490}));
}

TEST(TimeSplit, ProcessorTimeBeyondTheWallTimeIsCountedWhenThereIsRoom) {
    TimeSplitter splitter(0, 1000);
    EXPECT_EQ(splitter.split(tick(100, 103)), (Split{100, 0, 0, 0}));
    EXPECT_EQ(splitter.split(tick(200, 101)), (Split{100, 0, 0, 0}));
    EXPECT_EQ(splitter.split(tick(300, 90)), (Split{94, 0, 6, 0}));
    EXPECT_EQ(splitter.split(tick(400, 90)), (Split{90, 0, 10, 0}));
}

TEST(TimeSplit, TimeNeverGoesBack) {
    TimeSplitter splitter(100, 10);
    EXPECT_EQ(splitter.split(tick(50, 0)), (Split{}));
    EXPECT_EQ(splitter.split(tick(120, 10)), (Split{10, 0, 10, 0}));
}

TEST(TimeSplit, PartsAddUpToWallTimeWhateverComes) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        const std::uint64_t begin = random() % 1'000'000;
        TimeSplitter splitter(begin, random() % 3 == 0 ? 0 : 1 + random() % 2000);
        std::uint64_t now = begin;
        std::int64_t sum = 0;
        for (int i = 0; i < 100; ++i) {
            now += random() % 5000;
            Interval interval{.end = now, .is_tick = random() % 2 == 0, .after_pause = random() % 10 == 0};
            if (random() % 8 != 0) {
                interval.task_clock = random() % 6000;  // may exceed the wall time: clocks are read apart
            }
            if (random() % 2 == 0) {
                interval.system_time = random() % 6000;
            }
            const Split split = splitter.split(interval);
            EXPECT_GE(split.user, 0);
            EXPECT_GE(split.system, 0);
            EXPECT_GE(split.off_cpu, 0);
            EXPECT_GE(split.paused, 0);
            sum += split.user + split.system + split.off_cpu + split.paused;
        }
        EXPECT_EQ(sum, static_cast<std::int64_t>(now - begin));
    }
}

}  // namespace
}  // namespace kymo::spacetime
