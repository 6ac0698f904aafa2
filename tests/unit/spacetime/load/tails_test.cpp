// Whose the time of threads is that end before a sample is due: plans with known answers, and simulated processes of
// such threads whose every moment is known.
#include "spacetime/load/tails.h"

#include "made_recording.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {
namespace tails {

using testing::kMs;
using testing::MadeFile;
using testing::TemporaryFolder;

constexpr std::int64_t kPeriod = 1000;
constexpr TailPlace kHere{1, 10};
constexpr TailPlace kThere{2, 20};

std::int64_t sum_of(const TailPlan& plan) {
    return std::accumulate(plan.parts.begin(), plan.parts.end(), std::int64_t{0},
                           [](std::int64_t sum, const TailPart& part) { return sum + part.ns; });
}

TEST(Tails, GoToFirstSamplesByWhatTheseStandForBeyondTheTimeBeforeThem) {
    const std::vector<Tail> threads = {{.end = 20, .user = 600}, {.end = 10, .user = 400}};
    const auto plans = plan_tails(threads, {{8, 750, kThere}, {5, 250, kHere}}, {}, kPeriod);
    EXPECT_EQ(plans[1].parts, (std::vector<TailPart>{{250, false, kHere}, {150, false, kThere}}));
    EXPECT_EQ(plans[0].parts, (std::vector<TailPart>{{600, false, kThere}}));
}

TEST(Tails, ThatAreLessThanSamplesStandForAreSharedInProportion) {
    const auto plans =
        plan_tails(std::vector<Tail>{{.end = 10, .user = 400}}, {{1, 600, kHere}, {2, 200, kThere}}, {}, kPeriod);
    EXPECT_EQ(plans[0].parts, (std::vector<TailPart>{{300, false, kHere}, {100, false, kThere}}));
}

TEST(Tails, WithoutAnySampleStayWhereTheyAre) {
    const auto plans =
        plan_tails(std::vector<Tail>{{.end = 10, .user = 70'000, .in_waits = 5}}, {}, {{3, kHere}}, kPeriod);
    EXPECT_EQ(plans[0].parts, (std::vector<TailPart>{{70'000, false, {}}}));
    EXPECT_EQ(plans[0].system_in_waits, 0);
}

TEST(Tails, BeyondSamplesByNoMoreThanChanceAreNotKnown) {
    const auto plans =
        plan_tails(std::vector<Tail>{{.end = 10, .user = 2000}}, {{1, 500, kHere}}, {{3, kThere}}, kPeriod);
    EXPECT_EQ(plans[0].parts, (std::vector<TailPart>{{500, false, kHere}, {1500, false, {}}}));
}

TEST(Tails, BeyondThatAreSystemTimeInWaitsAndThenWhereTicksFoundThreads) {
    const std::vector<Tail> threads = {{.end = 10, .user = 6000, .in_waits = 3000}, {.end = 20, .user = 2500}};
    const auto plans = plan_tails(threads, {{1, 500, kHere}}, {{2, kThere}, {1, kHere}}, kPeriod);
    EXPECT_EQ(plans[0].system_in_waits, 3000);
    std::int64_t user = 0;
    std::int64_t here = 0;
    std::int64_t there = 0;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        EXPECT_EQ(sum_of(plans[i]), threads[i].user);
        for (const TailPart& part : plans[i].parts) {
            user += part.is_system ? 0 : part.ns;
            here += part.is_system && part.place == kHere ? part.ns : 0;
            there += part.is_system && part.place == kThere ? part.ns : 0;
        }
    }
    EXPECT_EQ(user, 500);
    EXPECT_EQ(here, 4000);
    EXPECT_EQ(there, 4000);
}

TEST(Tails, ATickStandsForNoMoreThanTheLongestThereIs) {
    const auto plans = plan_tails(std::vector<Tail>{{.end = 10, .user = 3 * kMostOfTick + 500}}, {{1, 500, kHere}},
                                  {{2, kThere}}, kPeriod);
    EXPECT_EQ(plans[0].parts,
              (std::vector<TailPart>{{500, false, kHere}, {kMostOfTick, true, kThere}, {2 * kMostOfTick, true, {}}}));
}

TEST(Tails, OfThreadsSampledAtTicksGoToWhatTheseFoundInTheProgramAndInTheKernel) {
    const std::vector<Tail> threads = {{.end = 20, .user = 600}, {.end = 10, .user = 400}};
    const auto plans = plan_tails_at_ticks(threads, {{8, 750, kThere, true}, {5, 250, kHere, false}}, kPeriod);
    EXPECT_EQ(plans[1].parts, (std::vector<TailPart>{{100, false, kHere}, {300, true, kThere}}));
    EXPECT_EQ(plans[0].parts, (std::vector<TailPart>{{150, false, kHere}, {450, true, kThere}}));
}

TEST(Tails, OfThreadsAtTicksBeyondWhatChanceExplainsAreNotKnown) {
    const auto plans = plan_tails_at_ticks(std::vector<Tail>{{.end = 10, .user = 9000}}, {{1, 500, kHere}}, kPeriod);
    EXPECT_EQ(plans[0].parts, (std::vector<TailPart>{{500, false, kHere}, {8500, false, {}}}));
    const auto none = plan_tails_at_ticks(std::vector<Tail>{{.end = 10, .user = 700}}, {}, kPeriod);
    EXPECT_EQ(none[0].parts, (std::vector<TailPart>{{700, false, {}}}));
}

TEST(Tails, PartsAddUpWhateverComes) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 500; ++round) {
        std::vector<Tail> threads(random() % 40);
        for (Tail& each : threads) {
            each = {random() % 1000, static_cast<std::int64_t>(random() % 3000),
                    static_cast<std::int64_t>(random() % 3 == 0 ? random() % 5000 : 0)};
        }
        std::vector<FirstSample> firsts(random() % 20);
        for (FirstSample& each : firsts) {
            each = {random() % 1000, static_cast<std::int64_t>(random() % 1000), random() % 2 == 0 ? kHere : kThere,
                    random() % 2 == 0};
        }
        std::vector<TailLook> looks(random() % 5);
        for (TailLook& each : looks) {
            each = {random() % 1000, kHere};
        }
        const auto plans = round % 2 == 0 ? plan_tails(threads, firsts, looks, kPeriod)
                                          : plan_tails_at_ticks(threads, firsts, kPeriod);
        ASSERT_EQ(plans.size(), threads.size());
        for (std::size_t i = 0; i < plans.size(); ++i) {
            EXPECT_EQ(sum_of(plans[i]), threads[i].user);
            EXPECT_GE(plans[i].system_in_waits, 0);
            EXPECT_LE(plans[i].system_in_waits, threads[i].in_waits);
            for (const TailPart& part : plans[i].parts) {
                EXPECT_GT(part.ns, 0);
            }
        }
    }
}

// Two threads were sampled, after 0.7 and 0.4 ms; the third one, of 0.9 ms, was not.
TEST(Tails, OfOneThreadMayBeAtSeveralPlaces) {
    const TemporaryFolder folder;
    {
        MadeFile file(folder.path() / "process-100-0.krec", 100);
        file.begin_process();
        constexpr std::array<std::uint64_t, 3> kFirst = {700'000, 400'000, 950'000};
        constexpr std::array<std::uint64_t, 3> kLife = {700'000, 400'000, 900'000};
        for (std::uint32_t i = 0; i < kFirst.size(); ++i) {
            recording::Stream row;
            row.time = (1 + i) * kMs;
            row.stream = i + 1;
            row.tid = 101 + i;
            row.first_period_ns = kFirst[i];
            file.own().append(row);
            if (i < 2) {
                file.context(i + 1, 1, 0, 1, 0x10 * (i + 1));
                file.sample(i + 1, row.time + kLife[i], 1, {kLife[i]});
            }
            file.end_stream(i + 1, row.time + kLife[i], {kLife[i]});
        }
        file.close();
    }
    const auto recording = recording::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const auto profile = load_profile(*recording);
    ASSERT_TRUE(profile);
    std::int64_t places = 0;
    for (std::size_t node = 0; node < profile->nodes.size(); ++node) {
        if (profile->nodes[node].kind == NodeKind::kFrame && profile->nodes[node].offset != 0) {
            EXPECT_EQ(profile->self[node][kUser], static_cast<std::int64_t>(kMs));
            ++places;
        }
    }
    EXPECT_EQ(places, 2);
    EXPECT_EQ(profile->threads.at(2).costs.at(kUser), 900'000);
    EXPECT_EQ(profile->threads.at(0).costs.at(kUser), 700'000) << "a thread has no more than its own";
}

// ---- processes of short threads --------------------------------------------------------------------------

constexpr std::size_t kPlaces = 4;
constexpr std::array<bool, kPlaces> kIsCall = {true, false, true, false};  // what a thread does, in this order
constexpr std::uint64_t kTick = 4 * kMs;

struct Truth {
    std::array<double, kPlaces> ns{};
    double user = 0;
    double system = 0;
    std::uint64_t firsts = 0;  // samples
    std::uint64_t looks = 0;
};

// How a thread is sampled.
enum class By : std::uint8_t {
    kClock,  // its first sample at a random moment, or, if that is in a call, after so long again, as the kernel's
             // timer does; the kernel's ticks look into calls
    kTicks,  // at the kernel's ticks; where one comes in a call, when that is over
};

// One thread after the other.
Truth write_process(const std::filesystem::path& folder, std::uint32_t seed, By by) {
    std::mt19937_64 random(seed);
    MadeFile file(folder / "process-100-0.krec", 100);
    file.begin_process();
    std::array<std::uint64_t, kPlaces> longest{};
    for (std::uint64_t& each : longest) {
        each = 60'000 + random() % 300'000;
    }
    Truth truth;
    std::uint64_t now = kMs;
    for (std::uint32_t id = 1; id <= 4000; ++id) {
        const std::uint64_t begin = now;
        recording::Stream row;
        row.time = begin;
        row.stream = id;
        row.tid = 100 + id;
        // Below the least, place is not known: this test does without, for exact sums.
        row.first_period_ns = recording::kLeastFirstPeriodNs + 1 + random() % (kMs - recording::kLeastFirstPeriodNs);
        if (by == By::kTicks) {
            row.first_period_ns = 0;
            row.tick_ns = kTick;
        }
        file.own().append(row);
        std::uint64_t due = row.first_period_ns;
        bool is_sampled = false;
        std::uint64_t sampled = 0;  // of the thread's clock, at ticks
        std::uint64_t at = 0;       // of the thread's clock
        for (std::size_t place = 0; place < kPlaces; ++place) {
            const std::uint64_t until =
                at + random() % longest[place] + (place == 0 ? recording::kLeastFirstPeriodNs : 0);
            truth.ns[place] += static_cast<double>(until - at);
            (kIsCall[place] ? truth.system : truth.user) += static_cast<double>(until - at);
            file.context(id, place + 1, 0, 1, 0x10 * (place + 1));
            const std::uint64_t tick = ((begin + at) / kTick + 1) * kTick;
            if (by == By::kTicks && tick <= begin + until) {
                const std::uint64_t upto = kIsCall[place] ? until : tick - begin;
                file.sample(id, begin + upto, place + 1, {upto - sampled},
                            recording::kAtTick | (kIsCall[place] ? recording::kInKernel : 0));
                sampled = upto;
                ++truth.looks;
            } else if (kIsCall[place] && tick <= begin + until) {
                recording::KernelTick look;
                look.time = begin + until;
                look.context = place + 1;
                file.stream(id).append(look);
                ++truth.looks;
            }
            for (; by == By::kClock && due <= until; due += is_sampled ? kMs : row.first_period_ns) {
                if (!kIsCall[place] && due > at) {
                    file.sample(id, begin + due, place + 1, {due - (is_sampled ? due - kMs : 0)});
                    truth.firsts += due == row.first_period_ns ? 1 : 0;
                    is_sampled = true;
                }
            }
            at = until;
        }
        file.end_stream(id, begin + at, {at});
        file.stream(id).release();  // the next ones write where it has left off
        now += at;
    }
    file.close();
    return truth;
}

void judge_simulated(By by) {
    constexpr std::uint32_t kProcesses = 20;
    std::size_t inside = 0;
    for (std::uint32_t seed = 1; seed <= kProcesses; ++seed) {
        const TemporaryFolder folder;
        const Truth truth = write_process(folder.path(), seed, by);
        const auto recording = recording::Recording::open(folder.path());
        ASSERT_TRUE(recording);
        const auto profile = load_profile(*recording);
        ASSERT_TRUE(profile);
        std::array<double, kPlaces> user{};
        std::array<double, kPlaces> system{};
        for (std::size_t node = 0; node < profile->nodes.size(); ++node) {
            const std::size_t place = profile->nodes[node].offset / 0x10 - 1;
            if (profile->nodes[node].kind == NodeKind::kFrame && place < kPlaces) {
                user[place] += static_cast<double>(profile->self[node][kUser]);
                system[place] += static_cast<double>(profile->self[node][kSystem]);
            }
        }
        // Four standard deviations; a sample stands for a period, a look for a tick.
        const double whole = truth.user + truth.system;
        const double error = 4 * std::sqrt(static_cast<double>(truth.firsts)) * kMs;
        const double look_error = 4 * std::sqrt(static_cast<double>(truth.looks)) * kTick;
        bool is_right = true;
        for (std::size_t place = 0; place < kPlaces; ++place) {
            const double seen = kIsCall[place] ? system[place] : user[place];
            EXPECT_EQ(kIsCall[place] ? user[place] : system[place], 0) << "place " << place;
            is_right = is_right && std::abs(seen - truth.ns[place]) <= (kIsCall[place]     ? look_error + error
                                                                        : by == By::kTicks ? look_error
                                                                                           : error);
        }
        EXPECT_NEAR(user[0] + user[1] + user[2] + user[3], truth.user, by == By::kTicks ? look_error : error);
        inside += is_right ? 1 : 0;
        std::int64_t all = 0;
        for (std::size_t node = 0; node < profile->nodes.size(); ++node) {
            all += processor_time(profile->self[node]);
        }
        EXPECT_EQ(static_cast<double>(all), whole);
        for (const ProfileThread& thread : profile->threads) {
            const StateSums sums = thread.states.sums();
            ASSERT_EQ(thread.costs[kUser], sums[ThreadState::kUser]);
            ASSERT_EQ(thread.costs[kSystem], sums[ThreadState::kSystem]);
        }
    }
    EXPECT_GE(inside, kProcesses - 1);
}

TEST(Tails, OfSimulatedThreadsAreWhereTheseSpentTheirTime) {
    judge_simulated(By::kClock);
}

TEST(Tails, OfSimulatedThreadsAtTicksAreWhereTheseSpentTheirTime) {
    judge_simulated(By::kTicks);
}

}  // namespace tails
}  // namespace
}  // namespace kymo::spacetime
