#include "spacetime/load/state_builder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

using State = ThreadState;
using recording::WaitKind;

StateInterval piece(std::uint64_t begin, std::uint64_t end, State state, std::uint32_t wait = kNone) {
    return {.begin = begin, .end = end, .state = state, .wait = wait};
}

ThreadWait wait_of(std::uint64_t begin, std::uint64_t end) {
    return {.begin = begin, .end = end, .kind = WaitKind::kMutex, .object = 1};
}

std::vector<StateInterval> built(StateBuilder builder, const Split& split) {
    const auto out = builder.add(split);
    return {out.begin(), out.end()};
}

TEST(StateBuilder, WithoutOtherSourcesTheAmountsFollowEachOther) {
    EXPECT_EQ(
        built(StateBuilder(100, {}, {}), {.user = 10, .system = 5, .off_cpu = 20}),
        (std::vector{piece(100, 120, State::kOff), piece(120, 125, State::kSystem), piece(125, 135, State::kUser)}));
}

TEST(StateBuilder, SwitchRecordsPlaceOffTimeAndTellReadyFromSleep) {
    const std::vector<OffInterval> offs{{110, 120, true}, {130, 150, false}};
    EXPECT_EQ(
        built(StateBuilder(100, offs, {}), {.user = 30, .off_cpu = 30}),
        (std::vector{piece(100, 110, State::kUser), piece(110, 120, State::kReady), piece(120, 130, State::kUser),
                     piece(130, 150, State::kOff), piece(150, 160, State::kUser)}));
}

TEST(StateBuilder, AWaitNamesTheSleepInItAndTakesTheKernelsTime) {
    const std::vector<OffInterval> offs{{112, 118, false}};
    const std::vector<ThreadWait> waits{wait_of(110, 120)};
    EXPECT_EQ(built(StateBuilder(100, offs, waits), {.user = 20, .system = 4, .off_cpu = 6}),
              (std::vector{piece(100, 110, State::kUser), piece(110, 112, State::kSystem, 0),
                           piece(112, 118, State::kWaiting, 0), piece(118, 120, State::kSystem, 0),
                           piece(120, 130, State::kUser)}));
}

TEST(StateBuilder, PreemptedInsideAWaitIsReadyAndNotWaiting) {
    const std::vector<OffInterval> offs{{110, 120, true}};
    const std::vector<ThreadWait> waits{wait_of(105, 125)};
    const auto out = built(StateBuilder(100, offs, waits), {.user = 20, .off_cpu = 10});
    EXPECT_NE(std::find(out.begin(), out.end(), piece(110, 120, State::kReady, 0)), out.end());
}

TEST(StateBuilder, OffTimeWithoutSwitchRecordsGoesToTheWaitsFirst) {
    const std::vector<ThreadWait> waits{wait_of(110, 130)};
    EXPECT_EQ(built(StateBuilder(100, {}, waits), {.user = 25, .off_cpu = 15}),
              (std::vector{piece(100, 110, State::kUser), piece(110, 125, State::kWaiting, 0),
                           piece(125, 130, State::kSpinning, 0), piece(130, 140, State::kUser)}));
    EXPECT_EQ(
        built(StateBuilder(100, {}, waits), {.user = 10, .off_cpu = 30}),
        (std::vector{piece(100, 105, State::kOff), piece(105, 110, State::kUser), piece(110, 130, State::kWaiting, 0),
                     piece(130, 135, State::kOff), piece(135, 140, State::kUser)}));
}

// A tick in the program says nothing of a call that is known; the sum of system time stays what ticks say.
TEST(StateBuilder, TimeInCallsIsTheSystemsWhateverATickMet) {
    const std::vector<ThreadWait> waits{{.begin = 110, .end = 130, .kind = WaitKind::kRead, .object = 1}};
    StateBuilder builder(100, {}, waits);
    const auto copied = [&](const Split& split) {
        const auto out = builder.add(split);
        return std::vector<StateInterval>(out.begin(), out.end());
    };
    EXPECT_EQ(copied({.user = 40, .by_tick = true}),
              (std::vector{piece(100, 110, State::kUser), piece(110, 130, State::kSystem, 0),
                           piece(130, 140, State::kUser)}));
    EXPECT_EQ(copied({.user = 10, .by_tick = true}), (std::vector{piece(140, 150, State::kUser)}));
    EXPECT_EQ(copied({.system = 50, .by_tick = true}),
              (std::vector{piece(150, 180, State::kSystem), piece(180, 200, State::kUser)}));
    EXPECT_EQ(copied({.system = 50, .by_tick = true}), (std::vector{piece(200, 250, State::kSystem)}));
}

TEST(StateBuilder, AMomentBelongsToTheWaitThatBeganLast) {
    const std::vector<OffInterval> offs{{100, 160, false}};
    const std::vector<ThreadWait> waits{wait_of(110, 150), wait_of(120, 130)};
    EXPECT_EQ(built(StateBuilder(100, offs, waits), {.off_cpu = 60}),
              (std::vector{piece(100, 110, State::kOff), piece(110, 120, State::kWaiting, 0),
                           piece(120, 130, State::kWaiting, 1), piece(130, 150, State::kWaiting, 0),
                           piece(150, 160, State::kOff)}));
}

TEST(StateBuilder, AWaitGoesOnOverSamples) {
    const std::vector<ThreadWait> waits{wait_of(105, 125)};
    StateBuilder builder(100, {}, waits);
    ThreadStates states(100);
    for (const Split& split :
         {Split{.user = 5, .off_cpu = 5}, Split{.user = 2, .off_cpu = 8}, Split{.user = 5, .off_cpu = 5}}) {
        for (const StateInterval& interval : builder.add(split)) {
            states.add(interval);
        }
    }
    const Filling filling = states.filling(0, 1000);
    EXPECT_EQ(filling.waits, (std::vector<WaitShare>{{0, 18}}));
    EXPECT_EQ(filling.states.wall(), 30);
    EXPECT_EQ(filling.states.user(), 12);
    EXPECT_EQ(filling.states[State::kSpinning], 2);
}

TEST(StateBuilder, APauseIsItsOwnState) {
    const std::vector<OffInterval> offs{{100, 150, false}};
    EXPECT_EQ(built(StateBuilder(100, offs, {}), {.user = 10, .paused = 90}),
              (std::vector{piece(100, 190, State::kPaused), piece(190, 200, State::kUser)}));
}

// 6 of 12 s off, where the records have 4 and 8: in proportion, also where products do not fit 64 bits.
TEST(StateBuilder, SpreadsSecondsAsItSpreadsMicroseconds) {
    for (const std::uint64_t unit : {std::uint64_t{1'000}, std::uint64_t{1'000'000'000}}) {
        const std::vector<OffInterval> offs{{100, 100 + 4 * unit, true}, {100 + 4 * unit, 100 + 12 * unit, false}};
        const auto half = static_cast<std::int64_t>(6 * unit);
        EXPECT_EQ(built(StateBuilder(100, offs, {}), {.user = half, .off_cpu = half}),
                  (std::vector{piece(100, 100 + 2 * unit, State::kReady),
                               piece(100 + 2 * unit, 100 + 4 * unit, State::kUser),
                               piece(100 + 4 * unit, 100 + 8 * unit, State::kOff),
                               piece(100 + 8 * unit, 100 + 12 * unit, State::kUser)}));
    }
}

TEST(ThreadStates, NeighboursOfOneStateAreOneInterval) {
    ThreadStates states(10);
    states.add(piece(10, 20, State::kUser));
    states.add(piece(20, 20, State::kOff));
    states.add(piece(20, 30, State::kUser));
    states.add(piece(30, 40, State::kUser, 3));
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0], piece(10, 30, State::kUser));
    EXPECT_EQ(states[1], piece(30, 40, State::kUser, 3));
    EXPECT_EQ(states.at(29), 0U);
    EXPECT_EQ(states.at(30), 1U);
    EXPECT_EQ(states.at(40), 2U);
    EXPECT_EQ(states.at(9), 2U);
    states.shift(-5);
    EXPECT_EQ(states[1], piece(25, 35, State::kUser, 3));
}

TEST(ThreadStates, NothingKnownIsNothing) {
    const ThreadStates states(7);
    EXPECT_EQ(states.sums(), StateSums());
    EXPECT_EQ(states.sums(0, 100), StateSums());
    EXPECT_TRUE(states.filling(0, 100).waits.empty());
}

// With room for 4 the fifth makes all stretches of up to 30 / (4/4 + 1) = 15 ns one: system time first, then user
// time.
TEST(ThreadStates, JoinsStretchesOfAShareOfTheWhole) {
    ThreadStates states(0);
    states.set_limit(4);
    states.add(piece(0, 10, State::kUser));
    states.add(piece(10, 12, State::kSystem));
    states.add(piece(12, 20, State::kUser));
    states.add(piece(20, 30, State::kOff));
    states.add(piece(30, 31, State::kUser));
    ASSERT_EQ(states.size(), 4U);
    EXPECT_EQ(states[0], piece(0, 2, State::kSystem));
    EXPECT_EQ(states[1], piece(2, 20, State::kUser));
    EXPECT_EQ(states[2], piece(20, 30, State::kOff));
    EXPECT_EQ(states[3], piece(30, 31, State::kUser));
    EXPECT_EQ(states.sums(0, 20)[State::kUser], 18);
    EXPECT_EQ(states.sums(25, 31)[State::kOff], 5);
}

TEST(ThreadStates, BeyondItsLimitPiecesOnProcessorsAreJoined) {
    ThreadStates all(0);
    ThreadStates few(0);
    few.set_limit(64);
    std::mt19937_64 random(3);
    std::uint64_t at = 0;
    std::size_t offs = 0;
    for (int i = 0; i < 20'000; ++i) {
        const bool is_off = i % 2000 == 1999;
        offs += is_off ? 1 : 0;
        const State state = is_off ? State::kOff : i % 2 == 0 ? State::kSystem : State::kUser;
        const StateInterval next = piece(at, at + 1 + random() % 50, state);
        all.add(next);
        few.add(next);
        at = next.end;
    }
    EXPECT_EQ(all.size(), 20'000U);
    EXPECT_LE(few.size(), 64U);
    EXPECT_EQ(few.sums(), all.sums());
    EXPECT_EQ(few.end(), all.end());
    std::size_t kept_offs = 0;
    for (std::size_t i = 0; i < few.size(); ++i) {
        kept_offs += few[i].state == State::kOff ? 1 : 0;
    }
    EXPECT_EQ(kept_offs, offs);
    StateSums parts;
    for (std::uint64_t from = 0; from < at; from += 777) {
        const StateSums part = few.sums(from, from + 777);
        EXPECT_EQ(part[State::kOff], all.sums(from, from + 777)[State::kOff]);
        parts += part;
    }
    EXPECT_EQ(parts, all.sums());
}

// A thread that is preempted all the time: not every preemption is kept, waits are.
TEST(ThreadStates, BeyondItsLimitManyShortTimesOffProcessorsAreJoinedAndWaitsAreNot) {
    ThreadStates all(0);
    ThreadStates few(0);
    few.set_limit(256);
    std::mt19937_64 random(4);
    std::uint64_t at = 0;
    constexpr State kTurns[] = {State::kUser, State::kReady, State::kSystem, State::kOff};
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const bool waits = i % 1000 == 999;
        const StateInterval next =
            piece(at, at + 1 + random() % 50, waits ? State::kWaiting : kTurns[i % 4], waits ? i / 1000 : kNone);
        all.add(next);
        few.add(next);
        at = next.end;
    }
    EXPECT_EQ(all.size(), 20'000U);
    EXPECT_LE(few.size(), 256U);
    EXPECT_EQ(few.sums(), all.sums());
    EXPECT_EQ(few.end(), all.end());
    EXPECT_EQ(few.filling(0, at).waits, all.filling(0, at).waits);
    StateSums parts;
    for (std::uint64_t from = 0; from < at; from += 777) {
        const StateSums part = few.sums(from, from + 777);
        EXPECT_EQ(part[State::kWaiting], all.sums(from, from + 777)[State::kWaiting]);
        EXPECT_EQ(part.wall(), all.sums(from, from + 777).wall());
        parts += part;
    }
    EXPECT_EQ(parts, all.sums());
}

// A stream made at random: what its builder is given, and the states that come out.
struct MadeStream {
    std::vector<OffInterval> offs;
    std::vector<ThreadWait> waits;
    std::vector<Split> splits;
    ThreadStates states;
    StateSums given;
};

MadeStream make_stream(std::mt19937_64& random) {
    const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
    MadeStream made;
    const std::uint64_t begin = 1000 + up_to(1000);
    const std::uint64_t rows = up_to(60);
    const std::uint64_t life = 20'000;
    // Sources that disagree with the amounts: shifted, overlapping, missing, outside the life, and of no length.
    for (std::uint64_t i = 0; i < rows; ++i) {
        const std::uint64_t at = up_to(begin + life);
        made.offs.push_back({at, at + up_to(random() % 4 == 0 ? 3000 : 100), random() % 2 == 0});
        const std::uint64_t wait_at = up_to(begin + life);
        made.waits.push_back(wait_of(wait_at, wait_at + up_to(random() % 4 == 0 ? 9000 : 300)));
        made.waits.back().flags = random() % 10 == 0 ? recording::kWaitOpen : 0;
    }
    made.states = ThreadStates(begin);
    StateBuilder builder(begin, made.offs, made.waits);
    for (std::uint64_t i = up_to(40); i > 0; --i) {
        Split split;
        const bool is_paused = random() % 12 == 0;
        split.user = static_cast<std::int64_t>(up_to(400));
        split.system = static_cast<std::int64_t>(random() % 3 == 0 ? up_to(400) : up_to(3));
        (is_paused ? split.paused : split.off_cpu) = static_cast<std::int64_t>(random() % 2 == 0 ? up_to(2000) : 0);
        made.splits.push_back(split);
        made.given[State::kUser] += split.user;
        made.given[State::kSystem] += split.system;
        made.given[State::kPaused] += split.paused;
        std::uint64_t at = made.states.end();
        for (const StateInterval& interval : builder.add(split)) {
            EXPECT_EQ(interval.begin, at);
            EXPECT_LT(interval.begin, interval.end);
            at = interval.end;
            made.states.add(interval);
        }
        EXPECT_EQ(made.states.end(), builder.end());
    }
    return made;
}

TEST(ThreadStatesProperty, TheAmountsHoldWhateverTheSourcesSay) {
    std::mt19937_64 random(20);
    for (int round = 0; round < 2000; ++round) {
        const MadeStream made = make_stream(random);
        const StateSums sums = made.states.sums();
        std::int64_t wall = 0;
        for (const Split& split : made.splits) {
            wall += split.user + split.system + split.off_cpu + split.paused;
        }
        ASSERT_EQ(sums.user(), made.given.user());
        ASSERT_EQ(sums[State::kSystem], made.given[State::kSystem]);
        ASSERT_EQ(sums[State::kPaused], made.given[State::kPaused]);
        ASSERT_EQ(sums.wall(), wall);
        ASSERT_EQ(static_cast<std::int64_t>(made.states.end() - made.states.begin()), wall);
        for (std::size_t i = 0; i < made.states.size(); ++i) {
            const StateInterval interval = made.states[i];
            if (interval.wait != kNone) {
                const ThreadWait& wait = made.waits[interval.wait];
                ASSERT_GE(interval.begin, wait.begin);
                ASSERT_LE(interval.end, wait.end);
            }
            const bool needs_wait = interval.state == State::kWaiting || interval.state == State::kSpinning;
            ASSERT_FALSE(needs_wait && interval.wait == kNone);
        }
    }
}

TEST(ThreadStatesProperty, SumsOverAnyPartitionOfTimeAreTheWhole) {
    std::mt19937_64 random(21);
    for (int round = 0; round < 500; ++round) {
        const MadeStream made = make_stream(random);
        std::vector<std::uint64_t> cuts{0, ~std::uint64_t{0}};
        for (std::uint64_t i = random() % 50; i > 0; --i) {
            cuts.push_back(random() % 30'000);
        }
        std::sort(cuts.begin(), cuts.end());
        StateSums by_sums;
        StateSums by_filling;
        std::vector<std::int64_t> by_wait(made.waits.size());
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
            by_sums += made.states.sums(cuts[i], cuts[i + 1]);
            const Filling filling = made.states.filling(cuts[i], cuts[i + 1]);
            by_filling += filling.states;
            ASSERT_EQ(filling.states, made.states.sums(cuts[i], cuts[i + 1]));
            std::int64_t waited = 0;
            for (const WaitShare& share : filling.waits) {
                by_wait[share.wait] += share.ns;
                waited += share.ns;
            }
            ASSERT_EQ(waited, filling.states[State::kWaiting]);
        }
        ASSERT_EQ(by_sums, made.states.sums());
        ASSERT_EQ(by_filling, made.states.sums());
        std::vector<std::int64_t> whole(made.waits.size());
        for (const WaitShare& share : made.states.filling(0, ~std::uint64_t{0}).waits) {
            whole[share.wait] += share.ns;
        }
        ASSERT_EQ(by_wait, whole);
    }
}

}  // namespace
}  // namespace kymo::spacetime
