// Whose call system time is, on intervals and looks made by hand, and on simulated threads whose every call is known.
#include "spacetime/load/system_place.h"

#include "spacetime/load/sample_time.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace kymo::spacetime {
namespace {
namespace system_place {

constexpr std::uint32_t kMain = 1;
constexpr std::uint32_t kWork = 2;   // called by main, and calls nothing
constexpr std::uint32_t kReads = 3;  // called by main: a system call
constexpr std::uint32_t kWrites = 4;
constexpr std::uint32_t kOther = 5;  // work of main's as well
constexpr std::array<std::uint32_t, 6> kParents = {0, 0, 1, 1, 1, 1};
constexpr std::uint64_t kMs = 1'000'000;

using enum SystemSource;

struct Charged {
    std::uint32_t context = 0;
    SystemSource source = SystemSource::kUnknown;
    auto operator<=>(const Charged&) const = default;
};
using Sums = std::map<Charged, std::uint64_t>;

StateInterval system_time(std::uint64_t begin, std::uint64_t end, std::uint32_t wait = kNone) {
    return {begin, end, ThreadState::kSystem, wait};
}

StateInterval user_time(std::uint64_t begin, std::uint64_t end) {
    return {begin, end, ThreadState::kUser, kNone};
}

class Placed {
  public:
    explicit Placed(std::vector<KernelLook> looks) : looks_(std::move(looks)), places_(looks_, kParents, 0) {}
    Sums next(const std::vector<StateInterval>& intervals, std::uint32_t sampled) {
        places_.next(intervals, sampled, true);
        Sums sums;
        for (const StateInterval& interval : intervals) {
            std::uint64_t at = interval.begin;
            const bool is_ours =
                places_.each(interval, [&](const StateInterval& part, std::uint32_t context, SystemSource source) {
                    EXPECT_EQ(part.begin, at);
                    EXPECT_GT(part.end, part.begin);
                    at = part.end;
                    sums[{context, source}] += part.end - part.begin;
                });
            EXPECT_EQ(at, is_ours ? interval.end : interval.begin);
            EXPECT_EQ(is_ours, interval.state == ThreadState::kSystem && interval.wait == kNone);
        }
        return sums;
    }

  private:
    std::vector<KernelLook> looks_;
    SystemPlace places_;
};

TEST(SystemPlace, LooksBetweenTwoSamplesShareTheSystemTimeThere) {
    Placed placed({{2 * kMs, kReads}, {3 * kMs, kWrites}, {4 * kMs, kReads}});
    EXPECT_EQ(placed.next({system_time(0, kMs), user_time(kMs, 2 * kMs), system_time(2 * kMs, 4 * kMs)}, kWork),
              (Sums{{{kReads, kSeen}, 2 * kMs}, {{kWrites, kSeen}, kMs}}));
}

TEST(SystemPlace, WithoutALookItIsTheNearestOnes) {
    Placed placed({{kMs, kReads}, {30 * kMs, kWrites}});
    EXPECT_EQ(placed.next({user_time(0, 2 * kMs)}, kWork), Sums{});
    EXPECT_EQ(placed.next({system_time(2 * kMs, 5 * kMs)}, kWork), (Sums{{{kReads, kNear}, 3 * kMs}}));
    EXPECT_EQ(placed.next({system_time(5 * kMs, 25 * kMs)}, kWork), (Sums{{{kReads, kNear}, 20 * kMs}}));
    EXPECT_EQ(placed.next({system_time(25 * kMs, 29 * kMs)}, kWork), (Sums{{{kWrites, kNear}, 4 * kMs}}));
}

TEST(SystemPlace, WhereNoneIsNearTheCallIsNotKnownAndNoSampledFunctionsOwn) {
    const std::uint64_t far = 200 * kMs;
    Placed placed({{far, kReads}});
    EXPECT_EQ(placed.next({system_time(0, kMs)}, kWork), (Sums{{{0, kUnknown}, kMs}}));
    EXPECT_EQ(placed.next({system_time(kMs, 2 * kMs)}, kOther), (Sums{{{kMain, kUnknown}, kMs}}));
    EXPECT_EQ(placed.next({system_time(2 * kMs, 3 * kMs)}, kOther), (Sums{{{kMain, kUnknown}, kMs}}))
        << "twice in a function that may call nothing";
    EXPECT_EQ(placed.next({system_time(3 * kMs, 4 * kMs)}, kMain), (Sums{{{0, kUnknown}, kMs}}));
    EXPECT_EQ(placed.next({system_time(4 * kMs, 5 * kMs)}, 77), (Sums{{{0, kUnknown}, kMs}})) << "no context";
    EXPECT_EQ(placed.next({system_time(5 * kMs, 6 * kMs)}, kNone), (Sums{{{kNone, kUnknown}, kMs}})) << "the end";
}

TEST(SystemPlace, TimeInWaitsAndSamplesThatSeeTheKernelAreNotPlacedHere) {
    Placed placed({{kMs, kReads}});
    EXPECT_EQ(placed.next({system_time(0, kMs, 0), system_time(kMs, 2 * kMs)}, kWork),
              (Sums{{{kReads, kSeen}, kMs}}));
    const std::vector<KernelLook> looks;
    SystemPlace seeing(looks, kParents, 0);
    const std::array<StateInterval, 1> intervals = {system_time(0, kMs)};
    seeing.next(intervals, kWork, false);
    EXPECT_FALSE(seeing.each(intervals[0], [](const StateInterval&, std::uint32_t, SystemSource) { FAIL(); }));
}

// Where the timer that looks also takes the samples, a sample sees the call, but perhaps in a wait that only the
// sample made long: the time before that is the call's all the same.
TEST(SystemPlace, LooksPlaceTheTimeOfSamplesThatSeeTheKernelAsWell) {
    const std::vector<KernelLook> looks = {{3 * kMs, kReads}};
    SystemPlace places(looks, kParents, 0);
    const std::array<StateInterval, 2> intervals = {system_time(0, 2 * kMs), system_time(2 * kMs, 3 * kMs, 0)};
    places.next(intervals, kWork, false);
    std::uint64_t placed = 0;
    EXPECT_TRUE(places.each(intervals[0], [&](const StateInterval& part, std::uint32_t context, SystemSource source) {
        EXPECT_EQ(context, kReads);
        EXPECT_EQ(source, kSeen);
        placed += part.end - part.begin;
    }));
    EXPECT_EQ(placed, 2 * kMs);
    EXPECT_FALSE(places.each(intervals[1], [](const StateInterval&, std::uint32_t, SystemSource) { FAIL(); }));
}

TEST(SystemPlace, LooksInWaitsAreLeftOut) {
    std::vector<ThreadWait> waits(3);
    waits[0].begin = 50;
    waits[0].end = 60;
    waits[1].begin = 10;
    waits[1].end = 40;
    waits[2].begin = 20;
    waits[2].end = 30;
    std::vector<KernelLook> looks = {{60, 1}, {55, 2}, {9, 3}, {35, 4}, {40, 5}, {10, 6}};
    const std::vector<KernelLook> all = looks;
    lay_in_time(&looks, waits, {});
    EXPECT_EQ(looks, (std::vector<KernelLook>{{9, 3}, {40, 5}, {60, 1}}));
}

// A look makes a call long enough to be recorded: what recorded calls of a path explain by their own time is theirs.
TEST(SystemPlace, LooksInWaitsBeyondWhatTheseExplainAreKept) {
    std::vector<ThreadWait> waits;
    std::vector<KernelLook> looks;
    for (std::uint64_t i = 0; i < 100; ++i) {
        waits.push_back({.begin = i * 10 * kMs, .end = i * 10 * kMs + kMs, .context = kReads});
        looks.push_back({i * 10 * kMs + kMs / 2, kReads});
    }
    const std::vector<KernelLook> all = looks;
    lay_in_time(&looks, waits, {});
    EXPECT_EQ(looks.size(), 75U) << "100 ms explain 25";
    EXPECT_EQ(looks.front().time / (10 * kMs), 1U);
    EXPECT_EQ(looks.back().time / (10 * kMs), 99U) << "they lie evenly";
    std::vector<OffInterval> offs;
    for (const ThreadWait& wait : waits) {
        offs.push_back({wait.begin + kMs / 5, wait.end});
    }
    looks = all;
    lay_in_time(&looks, waits, offs);
    EXPECT_EQ(looks.size(), 95U) << "for most of that the thread was off its processor";
    for (ThreadWait& wait : waits) {
        wait.end = wait.begin + 7 * kMs / 2;
    }
    looks = all;
    lay_in_time(&looks, waits, {});
    EXPECT_TRUE(looks.empty()) << "12 more than these explain may be chance";
}

// A thread that computes and makes calls in turns, for random times; its clock samples it each millisecond unless it
// is in the kernel, and the kernel's tick each four milliseconds finds it there or not.
struct Simulated {
    std::vector<recording::Sample> samples;
    std::vector<std::array<std::uint64_t, 1>> deltas;
    std::vector<KernelLook> looks;
    std::map<std::uint32_t, std::uint64_t> system;  // the truth, ns by context
    std::uint64_t end = 0;
};

Simulated simulate(std::uint32_t seed) {
    constexpr std::uint64_t kPeriod = kMs;
    constexpr std::uint64_t kTick = 4 * kMs;
    std::mt19937_64 random(seed);
    Simulated thread;
    const std::array<std::uint32_t, 4> places = {kWork, kReads, kOther, kWrites};
    std::array<std::uint64_t, 4> longest{};
    for (std::uint64_t& each : longest) {
        each = 20'000 + random() % 1'500'000;
    }
    std::uint64_t now = 0;
    std::uint64_t last = 0;
    while (now < 1000 * kMs) {
        const std::size_t which = random() % places.size();
        const std::uint64_t until = now + 10'000 + random() % longest[which];
        const bool is_call = which % 2 == 1;
        for (std::uint64_t due = (now / kPeriod + 1) * kPeriod; due <= until && !is_call; due += kPeriod) {
            thread.deltas.push_back({due - last});
            thread.samples.push_back({.time = due, .context = places[which]});
            last = due;
        }
        if (is_call) {
            thread.system[places[which]] += until - now;
            for (std::uint64_t due = (now / kTick + 1) * kTick; due <= until; due += kTick) {
                thread.looks.push_back({until, places[which]});
            }
        }
        now = until;
    }
    thread.end = now;
    for (std::size_t i = 0; i < thread.samples.size(); ++i) {
        thread.samples[i].deltas = thread.deltas[i];
    }
    return thread;
}

TEST(SystemPlace, SharesOfSimulatedThreadsLieInTheirIntervals) {
    EventInfo clock{.name = "task-clock", .unit = "ns", .mode = recording::EventMode::kPeriod, .value = kMs};
    const EventRoles roles(std::span(&clock, 1), static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents));
    constexpr std::uint32_t kThreads = 1000;
    std::size_t inside = 0;
    for (std::uint32_t seed = 1; seed <= kThreads; ++seed) {
        const Simulated thread = simulate(seed);
        StreamTime time(roles, 0, {}, {});
        SystemPlace places(thread.looks, kParents, 0);
        Sums sums;
        const auto charge = [&](std::span<const StateInterval> intervals, std::uint32_t sampled) {
            places.next(intervals, sampled, true);
            for (const StateInterval& interval : intervals) {
                places.each(interval, [&](const StateInterval& part, std::uint32_t context, SystemSource source) {
                    sums[{context, source != kUnknown ? kSeen : kUnknown}] += part.end - part.begin;
                });
            }
        };
        for (const recording::Sample& sample : thread.samples) {
            charge(time.add(sample), static_cast<std::uint32_t>(sample.context));
        }
        const std::array<std::uint64_t, 1> totals = {thread.end};
        charge(time.finish(thread.end, totals), kNone);
        ASSERT_EQ((sums.count({kWork, kSeen})), 0U);
        ASSERT_EQ((sums.count({kOther, kSeen})), 0U);
        const double all = static_cast<double>(sums[{kReads, kSeen}] + sums[{kWrites, kSeen}]);
        const double looks = static_cast<double>(thread.looks.size());
        const double truth = static_cast<double>(thread.system.at(kReads)) /
                             static_cast<double>(thread.system.at(kReads) + thread.system.at(kWrites));
        // 99 in 100, of as many looks; calls that last through several ticks make them fewer, by a little.
        const double half = 2.58 * std::sqrt(truth * (1 - truth) / looks) + 1 / looks;
        inside += std::abs(static_cast<double>(sums[{kReads, kSeen}]) / all - truth) <= half ? 1 : 0;
    }
    EXPECT_GE(inside, kThreads * 99 / 100);
}

// A thread that is sampled at the kernel's tick. It computes, makes short calls (to close something), short ones that
// are recorded where a look lengthens them, and long ones, which are recorded.
TEST(SystemPlace, SharesOfThreadsSampledAtTheTickAreRight) {
    constexpr std::uint64_t kTick = 4 * kMs;
    constexpr std::uint32_t kCloses = 5;
    EventInfo clock{.name = "task-clock", .unit = "ns", .mode = recording::EventMode::kPeriod, .value = kMs};
    const EventRoles roles(std::span(&clock, 1), static_cast<std::uint64_t>(recording::Mechanism::kPerfEvents));
    constexpr std::uint32_t kThreads = 100;
    std::size_t inside = 0;
    for (std::uint32_t seed = 1; seed <= kThreads; ++seed) {
        std::mt19937_64 random(seed);
        const std::array<std::uint32_t, 4> places = {kWork, kCloses, kReads, kWrites};
        const std::array<std::uint64_t, 4> longest = {5'000 + random() % 60'000, 5'000 + random() % 20'000,
                                                      5'000 + random() % 15'000, 20'000 + random() % 100'000};
        std::map<std::uint32_t, double> truth;
        std::vector<KernelLook> looks;
        std::vector<ThreadWait> waits;
        std::vector<std::pair<std::uint64_t, std::size_t>> ticks;  // when, and where
        std::uint64_t now = 0;
        while (now < 4000 * kMs) {
            for (std::size_t which = 0; which < places.size(); ++which) {
                std::uint64_t until = now + 1 + random() % longest[which];
                truth[places[which]] += static_cast<double>(until - now);
                const bool is_seen = now / kTick != until / kTick;
                if (is_seen) {
                    ticks.emplace_back(until, which);
                    if (which != 0) {
                        looks.push_back({until, places[which]});
                        until += 15'000;  // what the look takes
                    }
                }
                if (which >= 2 && until - now >= 15'000) {
                    waits.push_back({.begin = now,
                                     .end = until + 1,
                                     .kind = recording::WaitKind::kRead,
                                     .context = places[which]});
                }
                now = until + 1;
            }
        }
        const std::size_t all_looks = looks.size();
        lay_in_time(&looks, waits, {});
        StreamTime time(roles, 0, {}, waits);
        SystemPlace system_places(looks, kParents, 0);
        std::map<std::uint32_t, double> system;
        double user = 0;
        const auto charge = [&](std::span<const StateInterval> intervals, std::uint32_t sampled) {
            system_places.next(intervals, sampled, false);
            for (const StateInterval& interval : intervals) {
                const auto ns = static_cast<double>(interval.end - interval.begin);
                if (system_places.each(interval, [&](const StateInterval& part, std::uint32_t context, SystemSource) {
                        system[context] += static_cast<double>(part.end - part.begin);
                    })) {
                    continue;
                }
                if (interval.state == ThreadState::kSystem) {
                    system[waits[interval.wait].context] += ns;
                } else {
                    user += ns;
                }
            }
        };
        std::uint64_t last = 0;
        for (const auto& [at, which] : ticks) {
            const std::array<std::uint64_t, 1> delta = {at - last};
            charge(time.add({.time = at,
                             .context = places[which],
                             .flags = recording::kAtTick | (which != 0 ? recording::kInKernel : 0),
                             .deltas = delta}),
                   places[which]);
            last = at;
        }
        const double error = 4 * std::sqrt(static_cast<double>(ticks.size())) * static_cast<double>(kTick) / 2 +
                             static_cast<double>(all_looks) * 15'000;
        bool is_right = std::abs(user - truth[kWork]) <= error;
        for (const std::uint32_t place : {kCloses, kReads, kWrites}) {
            is_right = is_right && std::abs(system[place] - truth[place]) <= error;
        }
        // Long calls are known exactly, but for those below what is recorded.
        is_right = is_right && system[kWrites] >= 0.9 * truth[kWrites] - error / 4;
        inside += is_right ? 1 : 0;
    }
    EXPECT_GE(inside, kThreads - 1);
}

}  // namespace system_place
}  // namespace
}  // namespace kymo::spacetime
