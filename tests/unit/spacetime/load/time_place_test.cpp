// Whose code time is, on waits and samples made by hand, and on a thread that polls for less than a sampling period.
#include "spacetime/load/time_place.h"

#include "spacetime/load/state_builder.h"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {

constexpr std::uint32_t kWork = 1;
constexpr std::uint32_t kMore = 2;    // other code of the thread's own
constexpr std::uint32_t kCall = 3;    // that waits
constexpr std::uint32_t kPolls = 4;   // what it calls
constexpr std::uint32_t kCaller = 5;  // of what calls and waits in turns: kTurn and kWaits
constexpr std::uint32_t kTurn = 6;
constexpr std::uint32_t kWaits = 7;
constexpr std::array<std::uint32_t, 8> kParents = {0, 0, 0, 0, 3, 0, 5, 5};
constexpr std::size_t kContexts = kParents.size();

ThreadWait wait(std::uint64_t begin, std::uint64_t end, std::uint32_t context = kCall) {
    ThreadWait row;
    row.begin = begin;
    row.end = end;
    row.context = context;
    return row;
}

// ns by context.
using Sums = std::map<std::uint32_t, std::uint64_t>;

class Thread {
  public:
    explicit Thread(std::vector<ThreadWait> waits)
        : waits_(std::move(waits)), builder_(0, {}, waits_), places_(waits_, kParents) {}

    // On the processor, in the program, for so long; then a sample, or the stream's end.
    Sums run(std::int64_t user, std::uint32_t sampled) { return sums(Split{.user = user}, sampled); }
    Sums sums(const Split& split, std::uint32_t sampled) {
        const auto intervals = builder_.add(split);
        places_.next(intervals, sampled);
        Sums sums;
        for (const StateInterval& interval : intervals) {
            sums[places_.of(interval)] += interval.end - interval.begin;
        }
        return sums;
    }

  private:
    std::vector<ThreadWait> waits_;
    StateBuilder builder_;
    TimePlace places_;
};

TEST(TimePlace, WithoutWaitsTheSampleSays) {
    Thread thread({});
    EXPECT_EQ(thread.run(100, kWork), (Sums{{kWork, 100}}));
    EXPECT_EQ(thread.sums({.user = 10, .system = 20, .off_cpu = 5}, kMore), (Sums{{kMore, 35}}));
    EXPECT_EQ(thread.run(7, kNone), (Sums{{kNone, 7}}));
}

TEST(TimePlace, WhatIsPolledIsTheCallsThatNoSampleMet) {
    Thread thread({wait(20, 50), wait(60, 70, 0), wait(80, 90, kContexts)});
    // Of the second and third the call is not known.
    EXPECT_EQ(thread.run(100, kWork), (Sums{{kWork, 70}, {kCall, 30}}));
}

TEST(TimePlace, ASampleInAWaitSaysWhereItPollsAndNothingOfTheTimeBefore) {
    Thread thread({wait(120, 220)});
    EXPECT_EQ(thread.run(100, kWork), (Sums{{kWork, 100}}));
    EXPECT_EQ(thread.run(100, kPolls), (Sums{{kWork, 20}, {kPolls, 80}}));
    // What is left of the wait is where it was last seen, behind it the next sample speaks again.
    EXPECT_EQ(thread.run(100, kMore), (Sums{{kPolls, 20}, {kMore, 80}}));
}

TEST(TimePlace, SamplesOfALongWaitSayWhereItWasInTurn) {
    Thread thread({wait(10, 250)});
    EXPECT_EQ(thread.run(100, kPolls), (Sums{{kCall, 10}, {kPolls, 90}}));  // nothing was ever seen outside waits
    EXPECT_EQ(thread.run(100, kMore), (Sums{{kMore, 100}}));                // as a task that runs in a barrier
    EXPECT_EQ(thread.run(100, kNone), (Sums{{kMore, 50}, {kNone, 50}}));
}

TEST(TimePlace, TheKernelsWorkAndTheTimeOffTheProcessorInAWaitAreTheCalls) {
    Thread thread({wait(10, 90)});
    EXPECT_EQ(thread.run(5, kWork), (Sums{{kWork, 5}}));
    EXPECT_EQ(thread.sums({.user = 15, .system = 20, .off_cpu = 50}, kPolls),
              (Sums{{kWork, 5}, {kCall, 70}, {kPolls, 10}}));
}

TEST(TimePlace, ASecondSampleAtTheSameMomentIsInTheSameWait) {
    Thread thread({wait(50, 150)});
    EXPECT_EQ(thread.run(20, kWork), (Sums{{kWork, 20}}));
    EXPECT_EQ(thread.run(80, kPolls), (Sums{{kWork, 30}, {kPolls, 50}}));
    EXPECT_EQ(thread.run(0, kPolls), Sums{});
    EXPECT_EQ(thread.run(40, kPolls), (Sums{{kPolls, 40}}));
}

TEST(TimePlace, ASampleThatHasLeftWhatWaitedSaysNothingOfTheTimeBefore) {
    Thread thread({wait(120, 130, kWaits), wait(150, 160, kWaits), wait(320, 330, kWaits)});
    EXPECT_EQ(thread.run(100, kTurn), (Sums{{kTurn, 100}}));
    EXPECT_EQ(thread.run(100, kMore), (Sums{{kTurn, 40}, {kWaits, 20}, {kMore, 40}}));
    // What the thread was last seen at is no part of what waits there: nothing is known but the sample.
    EXPECT_EQ(thread.run(140, kWork), (Sums{{kWaits, 10}, {kWork, 130}}));
}

TEST(TimePlace, ALaterWaitElsewhereDoesNotHideWhatWasLeft) {
    Thread thread({wait(120, 130, kWaits), wait(150, 160, kWaits), wait(170, 180)});
    EXPECT_EQ(thread.run(100, kTurn), (Sums{{kTurn, 100}}));
    EXPECT_EQ(thread.run(100, kMore), (Sums{{kTurn, 40}, {kWaits, 20}, {kCall, 10}, {kMore, 30}}));
}

TEST(TimePlace, ASampleInAnotherLineOfWhatWaitedSpeaksForAllOfTheInterval) {
    Thread thread({wait(120, 130, kWaits), wait(150, 160, kWaits)});
    EXPECT_EQ(thread.run(100, kMore), (Sums{{kMore, 100}}));
    EXPECT_EQ(thread.run(100, kTurn), (Sums{{kTurn, 80}, {kWaits, 20}}));
}

// Known answer: a thread that does 3 ms of one thing and 2 ms of another, which ends in one wait, sampled every
// millisecond. Where the sample before spoke for the time before each wait, the work that ends there would win half a
// millisecond a round from the work that begins behind it, and lose none where it begins itself.
TEST(TimePlace, OneWaitAtTheEndOfAWorkTakesNothingFromTheNext) {
    constexpr std::uint64_t kRound = 5500;
    constexpr std::uint64_t kRounds = 4000;
    std::vector<ThreadWait> waits;
    for (std::uint64_t i = 0; i < kRounds; ++i) {
        waits.push_back(wait(i * kRound + 5000, (i + 1) * kRound, kWaits));
    }
    Thread thread(std::move(waits));
    std::mt19937_64 random(7);
    Sums all;
    std::uint64_t worked = 0;  // of the thread's processor time, which stands still while it waits
    std::uint64_t now = 0;
    while (now < (kRounds - 3) * kRound) {
        const std::uint64_t step = 900 + random() % 200;
        worked += step;
        const std::uint64_t next = worked / 5000 * kRound + worked % 5000;
        const auto waited = static_cast<std::int64_t>(next - now - step);
        const std::uint32_t sampled = (next - 1) % kRound < 3000 ? kMore : kTurn;
        for (const auto& [context, ns] :
             thread.sums({.user = static_cast<std::int64_t>(step), .off_cpu = waited}, sampled)) {
            all[context] += ns;
        }
        now = next;
    }
    EXPECT_NEAR(static_cast<double>(all[kMore]) / static_cast<double>(worked), 0.6, 0.01);
    EXPECT_NEAR(static_cast<double>(all[kTurn]) / static_cast<double>(worked), 0.4, 0.01);
}

// Known answer: a thread that works 300 µs, then other code of 100 µs, then polls for 200 µs, sampled every 1.2 ms in
// the mean. Charged to its samples, with the polls cut out, the work would have lost a third of its time to the place
// of the polling.
TEST(TimePlace, ShortPollingTakesNothingFromTheWorkBeforeIt) {
    constexpr std::uint64_t kRound = 600;
    constexpr std::uint64_t kRounds = 20000;
    std::vector<ThreadWait> waits;
    for (std::uint64_t i = 0; i < kRounds; ++i) {
        waits.push_back(wait(i * kRound + 400, (i + 1) * kRound));
    }
    Thread thread(std::move(waits));
    std::mt19937_64 random(7);
    Sums all;
    std::uint64_t now = 0;
    while (now < (kRounds - 3) * kRound) {
        const std::uint64_t step = 600 + random() % 1200;  // samples keep no step with the rounds
        now += step;
        const std::uint64_t in_round = (now - 1) % kRound;
        const std::uint32_t sampled = in_round < 300 ? kWork : in_round < 400 ? kMore : kPolls;
        for (const auto& [context, ns] : thread.run(static_cast<std::int64_t>(step), sampled)) {
            all[context] += ns;
        }
    }
    const auto share = [&](std::uint32_t context) {
        return static_cast<double>(all[context]) / static_cast<double>(now);
    };
    EXPECT_NEAR(share(kWork), 300.0 / 600, 0.02);
    EXPECT_NEAR(share(kMore), 100.0 / 600, 0.02);
    EXPECT_NEAR(share(kCall) + share(kPolls), 200.0 / 600, 0.001);
}

}  // namespace
}  // namespace kymo::spacetime
