#include "attach/seams.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::attach {
namespace {

namespace perf = import::perf;

constexpr std::uint64_t kPeriod = 1000;
constexpr std::uint32_t kThread = 7;

struct Taken : perf::Visitor {
    std::vector<std::uint64_t> periods;
    int switches = 0;
    int others = 0;
    void sample(const perf::Sample& row) override {
        if (row.attribute == kClock) {
            periods.push_back(row.period);
        } else {
            ++switches;
        }
    }
    void context_switch(const perf::Switch&) override { ++others; }
    void fork(const perf::Fork&) override { ++others; }
};

template <typename Row>
Row at(std::uint64_t time, std::uint32_t cpu = 0) {
    Row row;
    row.time = time;
    row.pid = kThread;
    row.tid = kThread;
    row.cpu = cpu;
    return row;
}

class SeamsTest : public ::testing::TestWithParam<bool> {
  protected:
    SeamsTest() {
        perf::Comm comm = at<perf::Comm>(1);
        seams_.comm(comm);
    }
    void on(std::uint64_t time, std::uint32_t cpu = 0) { seams_.context_switch(at<perf::Switch>(time, cpu)); }
    void off(std::uint64_t time, std::uint32_t cpu = 0) {
        auto row = at<perf::Switch>(time, cpu);
        row.out = true;
        seams_.context_switch(row);
    }
    void sample(std::uint32_t attribute, std::uint64_t event, std::uint64_t time, std::uint32_t cpu = 0) {
        auto row = at<perf::Sample>(time, cpu);
        row.attribute = attribute;
        row.id = event;
        row.period = attribute == kClock ? kPeriod : 1;
        seams_.sample(row);
    }

    Taken taken_;
    Seams seams_{GetParam(), kSwitches, taken_};
};

INSTANTIATE_TEST_SUITE_P(ByThreadAndByProcessor, SeamsTest, ::testing::Bool());

using Periods = std::vector<std::uint64_t>;

TEST_P(SeamsTest, WithoutAChangePeriodsStayAsTheyAre) {
    on(100);
    sample(kClock, 1, 1100);
    off(1500);
    on(9000);
    sample(kClock, 1, 9500);
    EXPECT_EQ(taken_.periods, (Periods{kPeriod, kPeriod}));
    EXPECT_EQ(taken_.others, 3);
}

TEST_P(SeamsTest, TheFirstSampleOfANewEventStandsForWhatRanSinceTheLast) {
    on(100);
    sample(kClock, 1, 1100);
    off(1500);
    on(9000);
    seams_.begin_change();      // at 9200
    sample(kClock, 2, 10'200);  // 400 and 1,200
    sample(kClock, 2, 11'200);
    EXPECT_EQ(taken_.periods, (Periods{kPeriod, 1600, kPeriod}));
}

TEST_P(SeamsTest, OldAndNewEventsInTurnCountNoTimeTwice) {
    on(100);
    sample(kClock, 1, 1100);
    seams_.begin_change();  // at 1,500
    sample(kClock, 1, 2100);
    sample(kClock, 2, 2500);
    sample(kClock, 1, 3100);  // the last of the old one
    sample(kClock, 2, 3500);
    sample(kClock, 2, 4500);
    EXPECT_EQ(taken_.periods, (Periods{kPeriod, kPeriod, 400, 600, 400, kPeriod}));
}

TEST_P(SeamsTest, WhatHadNoSampleBeforeTheChangeHasItsTimeToo) {
    on(100);
    off(700);
    seams_.begin_change();
    on(5000);
    sample(kClock, 2, 6000);
    EXPECT_EQ(taken_.periods, Periods{1600});
}

TEST_P(SeamsTest, ALostRecordOfASwitchAddsAPeriodAtMost) {
    on(100);
    sample(kClock, 1, 1100);
    seams_.begin_change();
    sample(kClock, 2, 900'000);
    EXPECT_EQ(taken_.periods, (Periods{kPeriod, 2 * kPeriod}));
}

TEST_P(SeamsTest, EachProcessorHasItsOwnClock) {
    on(100, 0);
    sample(kClock, 1, 1100, 0);
    off(1400, 0);
    on(1400, 1);
    sample(kClock, 11, 2400, 1);
    seams_.begin_change();
    off(2500, 1);
    on(2500, 0);
    sample(kClock, 2, 3500, 0);  // 300 and 1,000
    off(3500, 0);
    on(3500, 1);
    sample(kClock, 12, 4500, 1);  // 100 and 1,000
    EXPECT_EQ(taken_.periods, (Periods{kPeriod, kPeriod, 1300, 1100}));
}

TEST_P(SeamsTest, ALossThatTwoEventsHaveSeenCountsOnce) {
    sample(kSwitches, 1, 100);
    sample(kSwitches, 2, 101);
    off(102);
    on(200);
    sample(kSwitches, 2, 300);
    off(301);
    on(400);
    sample(kSwitches, 2, 500);
    EXPECT_EQ(taken_.switches, 3);
}

TEST_P(SeamsTest, TellsWhoLives) {
    auto born = at<perf::Fork>(10);
    born.tid = 8;
    born.parent_tid = kThread;
    seams_.fork(born);
    EXPECT_EQ(seams_.threads().size(), 2U);
    auto gone = at<perf::Exit>(30);
    seams_.exit(gone);
    EXPECT_EQ(seams_.threads(), (std::vector<Seams::Member>{{kThread, 8}}));
}

}  // namespace
}  // namespace kymo::attach
