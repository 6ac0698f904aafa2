// The members over virtual channels: round trips, latches, clocks, and each fault by itself.

#include "simulator/world.h"

#include <gtest/gtest.h>

namespace kymo::ring::simulator {
namespace {

constexpr Time kWorldMs = 1'000'000;
constexpr Time kWorldHeartbeat = 200 * kWorldMs;

WorldSettings settings(std::uint32_t agents, Mode mode = Mode::kReduce) {
    WorldSettings made;
    made.agents = agents;
    made.manager.job = {77, kWorldHeartbeat, 4};
    made.manager.clock = 1;
    made.manager.mode = mode;
    made.manager.period = 20 * kWorldMs;
    made.manager.segments = 1;
    made.manager.budget = {1, 1e12};
    made.request = {{1, 2, 0, kKnownValue, kEvery}, {1, 2, 0, kLatchTime, kEvery}};
    return made;
}

std::uint64_t sum_of_all(std::uint32_t agents) {
    std::uint64_t sum = 0;
    for (Slot slot = 0; slot < agents; ++slot) {
        sum += known_value(slot);
    }
    return sum;
}

// Its figures are of exactly those slots that it says.
void expect_truth(const Sample& sample) {
    std::uint64_t sum = sum_of_all(sample.coverage.slots);
    std::uint32_t holes = 0;
    for (const HoleRange& hole : sample.coverage.holes) {
        holes += hole.count;
        for (Slot slot = hole.first; slot < hole.first + hole.count; ++slot) {
            sum -= known_value(slot);
        }
    }
    if (!sample.coverage.holes_untold) {
        EXPECT_EQ(sample.records[0].sum_low, sum) << "sequence " << sample.sequence;
        EXPECT_EQ(sample.coverage.contributed + holes, sample.coverage.slots);
    }
    EXPECT_EQ(sample.records[0].known, sample.coverage.contributed);
}

std::uint64_t true_skew(const Sample& sample) {
    return sample.records[1].greatest - sample.records[1].least;
}

std::vector<World::Ended> run(World& world, Time end) {
    world.run_until(end);
    auto samples = world.take_samples();
    std::uint64_t last = 0;
    for (const auto& each : samples) {
        expect_truth(each.sample);
        EXPECT_GT(each.sample.sequence, last) << "whoever compares it with the one before must be able to";
        last = each.sample.sequence;
    }
    return samples;
}

// When the first whole sample ended that was begun after `since`.
Time whole_again(const std::vector<World::Ended>& samples, Time since) {
    for (const auto& each : samples) {
        if (each.at >= since && each.sample.coverage.is_whole()) {
            return each.at;
        }
    }
    return kNever;
}

TEST(RingWorld, BothModesBringEverythingHome) {
    for (const Mode mode : {Mode::kReduce, Mode::kAppend}) {
        World world(settings(16, mode));
        const auto samples = run(world, 1000 * kWorldMs);
        ASSERT_GE(samples.size(), 45U);
        for (const auto& [at, sample] : samples) {
            EXPECT_TRUE(sample.coverage.is_whole());
            EXPECT_EQ(sample.parts.size(), mode == Mode::kAppend ? 16U : 0U);
        }
        EXPECT_EQ(world.manager().counts().lost, 0U);
        EXPECT_EQ(world.manager().counts().sent, world.manager().counts().received);
    }
}

TEST(RingWorld, AllLatchAtOneMoment) {
    World world(settings(64));
    auto samples = run(world, 1000 * kWorldMs);
    const Sample& last = samples.back().sample;
    EXPECT_EQ(last.coverage.off_time, 0U);
    const Time round_trip = last.home - last.sent;
    EXPECT_LT(true_skew(last), round_trip / 2) << "without an announcement it is nearly a round trip: " << round_trip;
    EXPECT_LE(true_skew(last), last.latest - last.earliest + 2 * last.clock_error) << "the error is told";
    EXPECT_GT(true_skew(samples.front().sample), round_trip / 2) << "nobody can have told the first one";
    EXPECT_EQ(samples.front().sample.coverage.off_time, 64U);
}

TEST(RingWorld, ClocksAreRelatedWithinTheToldError) {
    World world(settings(32));
    run(world, 3000 * kWorldMs);
    for (Slot slot = 0; slot < 32; ++slot) {
        const auto estimate = world.agent(slot).clock(world.time_of(slot));
        const auto off = static_cast<std::uint64_t>(std::abs(estimate.offset - world.true_offset(slot)));
        EXPECT_LE(off, estimate.error) << slot;
        EXPECT_LT(estimate.error, 4 * kWorldMs);
    }
}

TEST(RingWorld, SeveralTokensAreInFlight) {
    WorldSettings many = settings(100);
    many.manager.period = kWorldMs;  // a round trip takes about 3
    many.manager.in_flight = 8;
    World world(many);
    const auto samples = run(world, 1000 * kWorldMs);
    EXPECT_GT(samples.size(), 900U);
    EXPECT_TRUE(samples.back().sample.coverage.is_whole());
    EXPECT_EQ(samples.back().sample.coverage.off_time, 0U);
}

TEST(RingWorld, SegmentsAndStarAreTheSameProtocol) {
    for (const std::uint32_t segments : {4U, 40U}) {
        WorldSettings cut = settings(40);
        cut.manager.segments = segments;
        World world(cut);
        const auto samples = run(world, 1000 * kWorldMs);
        EXPECT_EQ(samples.back().sample.tokens, segments);
        EXPECT_TRUE(samples.back().sample.coverage.is_whole());
    }
}

TEST(RingWorld, TheGapOfAKilledAgentIsClosedWithinAHeartbeatAndARoundTrip) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        WorldSettings one = settings(24);
        one.seed = seed;
        World world(one);
        run(world, 1000 * kWorldMs);
        world.kill(static_cast<Slot>(seed));
        const auto samples = run(world, 2000 * kWorldMs);
        Time closed = kNever;
        for (const auto& each : samples) {
            if (each.sample.coverage.contributed == 23) {
                closed = std::min(closed, each.at);
            }
        }
        const Time round_trip = 24 * 40'000;
        EXPECT_LE(closed, 1000 * kWorldMs + kWorldHeartbeat + 2 * round_trip) << seed;
        EXPECT_EQ(world.manager().counts().lost, 0U) << "what met the gap was handed on again";
        ASSERT_FALSE(samples.empty());
        EXPECT_EQ(samples.back().sample.coverage.holes, (std::vector<HoleRange>{{static_cast<Slot>(seed), 1}}));
        world.restart(static_cast<Slot>(seed));
        EXPECT_TRUE(run(world, 2300 * kWorldMs).back().sample.coverage.is_whole()) << seed;
    }
}

// A host whose agent has ended says so; one that is gone itself says nothing.
TEST(RingWorld, WhereNobodyListensTheGapIsClosedByTheNextHeartbeat) {
    for (const std::uint32_t killed : {1U, 3U}) {
        WorldSettings one = settings(24);
        one.refuses = true;
        World world(one);
        run(world, 1000 * kWorldMs);
        for (Slot slot = 7; slot < 7 + killed; ++slot) {
            world.kill(slot);
        }
        const auto samples = run(world, 2000 * kWorldMs);
        Time closed = kNever;
        for (const auto& each : samples) {
            if (each.sample.coverage.contributed == 24 - killed) {
                closed = std::min(closed, each.at);
            }
        }
        EXPECT_LE(closed, 1000 * kWorldMs + kWorldHeartbeat / 4 + 5 * kWorldMs) << killed;
        EXPECT_EQ(world.manager().counts().lost, 0U);
    }
}

// One channel a member: from the manager to the first agent, from each to the next, and home. A fault may have some
// more opened, and afterwards they are closed again.
TEST(RingWorld, NAgentsHoldNPlusOneChannels) {
    constexpr Time kSettled = 3 * kWorldHeartbeat;
    for (const std::uint32_t agents : {1U, 4U, 16U, 64U}) {
        WorldSettings made = settings(agents);
        World world(made);
        Time now = kSettled;
        const auto settle = [&] { return run(world, now += kSettled).back().sample.coverage.contributed; };
        // The most that are open while it is found out and healed.
        const auto most = [&] {
            std::size_t open = 0;
            for (const Time end = now + kSettled; now < end; now += kWorldHeartbeat / 40) {
                world.run_until(now);
                open = std::max(open, world.open_channels());
            }
            return open;
        };
        run(world, now);
        EXPECT_EQ(settle(), agents);
        EXPECT_EQ(world.open_channels(), agents + 1) << agents;
        const std::size_t reach = made.manager.job.reach;
        for (const Slot slot : std::set<Slot>{0, agents / 2, agents - 1}) {
            world.kill(slot);
            EXPECT_LE(most(), agents + reach) << "killed " << slot << " of " << agents;
            EXPECT_EQ(settle(), agents - 1);
            EXPECT_EQ(world.open_channels(), agents == 1 ? 0 : agents) << "killed " << slot << " of " << agents;
            world.restart(slot);
            EXPECT_LE(most(), agents + 1 + reach);
            EXPECT_EQ(settle(), agents);
            EXPECT_EQ(world.open_channels(), agents + 1) << "restarted " << slot << " of " << agents;
            world.stop(slot);
            EXPECT_LE(most(), agents + 1 + reach) << "stopped " << slot << " of " << agents;
            world.go_on(slot);
            settle();
            EXPECT_EQ(settle(), agents);
            EXPECT_EQ(world.open_channels(), agents + 1) << "gone on " << slot << " of " << agents;
            world.cut_off({slot});
            EXPECT_LE(most(), agents + 1 + reach) << "cut off " << slot << " of " << agents;
            world.cut_off({});
            settle();
            EXPECT_EQ(settle(), agents);
            EXPECT_EQ(world.open_channels(), agents + 1) << "cut off " << slot << " of " << agents;
        }
        for (Slot slot = agents / 2; slot < std::min(agents, agents / 2 + 3); ++slot) {
            world.stop(slot);
        }
        EXPECT_LE(most(), agents + 1 + 2 * reach) << "who is stopped closes nothing";
        for (Slot slot = 0; slot < agents; ++slot) {
            world.go_on(slot);
        }
        settle();
        settle();
        EXPECT_EQ(world.open_channels(), agents + 1) << "three had been stopped, of " << agents;
        world.kill_manager();
        run(world, now += kSettled);
        world.restart_manager();
        EXPECT_EQ(settle(), agents);
        EXPECT_EQ(world.open_channels(), agents + 1) << "another manager of " << agents;
        world.faults = {0.01, 0.05, 0.05, kWorldHeartbeat / 4};
        EXPECT_LE(most(), agents + 1 + 2 * reach + agents / 4) << "some suspect the one behind them for nothing";
        world.faults = {};
        settle();
        settle();
        EXPECT_EQ(world.open_channels(), agents + 1) << agents;
        world.join();
        settle();
        EXPECT_EQ(world.open_channels(), agents + 2) << agents << " and one";
        // What the manager asks one agent goes by channels of their own, which are closed afterwards.
        world.manager().query(agents / 2, {{{2, 0, 1, 5, kEvery, 0, 0}, {0}}}, world.time_of_manager());
        EXPECT_LE(most(), agents + 4);
        world.manager().end_detail();
        settle();
        EXPECT_EQ(world.open_channels(), agents + 2);
        // An order goes to every agent, and each answers; it is repeated after four intervals.
        world.manager().order({{2, 0, 0, 0, 0, 0, 0}}, world.time_of_manager());
        std::size_t open = 0;
        for (const Time end = now + 2 * kWorldHeartbeat; now < end; now += kWorldHeartbeat / 40) {
            world.run_until(now);
            open = std::max(open, world.open_channels());
        }
        EXPECT_GT(open, agents + 2);
        EXPECT_LE(open, 3 * (agents + 1) + 1);
        EXPECT_EQ(world.open_channels(), agents + 2) << "closed before it is repeated";
    }
}

TEST(RingWorld, SegmentsHoldAChannelMoreEach) {
    for (const std::uint32_t segments : {2U, 8U, 40U}) {
        WorldSettings cut = settings(40);
        cut.manager.segments = segments;
        World world(cut);
        run(world, 4 * kWorldHeartbeat);
        EXPECT_EQ(world.open_channels(), 40 + segments);
    }
}

TEST(RingWorld, AMemberThatOnlyProbesIsToldByHeartbeats) {
    AgentSettings one;
    one.job = {7, 100, 4};
    one.slot = 3;
    one.slots = 5;
    Agent agent(one, [](auto, auto) {}, 0);
    Bytes probe = make_heartbeat(FrameKind::kProbe, 5, 7, 0, {2, 0, 1, 1, 0, 0, 0});
    const auto heartbeats_to = [](const Outbox& out, Slot slot) {
        return std::count_if(out.begin(), out.end(), [slot](const Outgoing& each) { return each.to == slot; });
    };
    Outbox out;
    agent.on_frame(probe, 1, out);
    EXPECT_EQ(heartbeats_to(out, 2), 1) << "one that was asked for";
    out.clear();
    agent.on_timer(25, out);
    EXPECT_EQ(heartbeats_to(out, 2), 0) << "it asks as this version does";
    EXPECT_EQ(heartbeats_to(out, 4), 1) << "the next one";
    probe[5] = kAnswersSince - 1;
    agent.on_frame(probe, 30, out);
    for (Time now = 50; now < 200; now += 25) {
        out.clear();
        agent.on_timer(now, out);
        EXPECT_EQ(heartbeats_to(out, 2), 1) << "an earlier version waits for them";
    }
    agent.on_answer({2, true}, 201, out);
    out.clear();
    agent.on_timer(225, out);
    EXPECT_EQ(heartbeats_to(out, 2), 0) << "it has ended";
}

TEST(RingWorld, StoppedNeighboursArePassedOverAndComeBack) {
    for (Slot first = 0; first <= 21; ++first) {
        World world(settings(24));
        run(world, 1000 * kWorldMs);
        for (Slot slot = first; slot < first + 3; ++slot) {  // reach - 1
            world.stop(slot);
        }
        auto samples = run(world, 2500 * kWorldMs);
        EXPECT_EQ(samples.back().sample.coverage.contributed, 21U) << first;
        EXPECT_EQ(world.manager().counts().lost, 0U) << first;
        for (Slot slot = first; slot < first + 3; ++slot) {
            world.go_on(slot);
        }
        samples = run(world, 2700 * kWorldMs);
        EXPECT_TRUE(samples.back().sample.coverage.is_whole()) << first;
    }
}

TEST(RingWorld, AGapWiderThanTheReachIsCutOut) {
    World world(settings(40));
    run(world, 1000 * kWorldMs);
    for (Slot slot = 11; slot < 20; ++slot) {
        world.kill(slot);
    }
    auto samples = run(world, 8000 * kWorldMs);
    EXPECT_EQ(samples.back().sample.coverage.contributed, 31U);
    EXPECT_EQ(samples.back().sample.coverage.holes, (std::vector<HoleRange>{{11, 9}}));
    EXPECT_GT(world.manager().spans().cuts(), 0U);
    for (Slot slot = 11; slot < 20; ++slot) {
        world.restart(slot);
    }
    samples = run(world, 11000 * kWorldMs);
    EXPECT_TRUE(samples.back().sample.coverage.is_whole());
    EXPECT_EQ(world.manager().spans().cuts(), 0U) << "and mended";
}

TEST(RingWorld, AHostThatIsCutOffIsAHoleAndComesBack) {
    World world(settings(12));
    run(world, 1000 * kWorldMs);
    world.cut_off({5, 6});
    EXPECT_EQ(run(world, 2000 * kWorldMs).back().sample.coverage.contributed, 10U);
    world.cut_off({});
    EXPECT_TRUE(run(world, 2300 * kWorldMs).back().sample.coverage.is_whole());
}

TEST(RingWorld, TheManagerIsKilledAndStartedAgain) {
    World world(settings(12));
    run(world, 1000 * kWorldMs);
    world.kill_manager();
    EXPECT_TRUE(run(world, 1500 * kWorldMs).empty());
    world.restart_manager();
    const auto samples = run(world, 1700 * kWorldMs);
    ASSERT_FALSE(samples.empty());
    EXPECT_TRUE(samples.front().sample.coverage.is_whole()) << "the very first round";
}

TEST(RingWorld, AgentsJoin) {
    World world(settings(5));
    run(world, 500 * kWorldMs);
    world.join();
    world.join();
    const auto samples = run(world, 1000 * kWorldMs);
    EXPECT_EQ(samples.back().sample.coverage.slots, 7U);
    EXPECT_TRUE(samples.back().sample.coverage.is_whole());
}

TEST(RingWorld, LostDoubledAndLateTokensAreToldAndCounted) {
    World world(settings(16));
    run(world, 500 * kWorldMs);
    world.faults = {0.01, 0.05, 0.05, 50 * kWorldMs};
    run(world, 10'000 * kWorldMs);
    const ManagerCounts& counts = world.manager().counts();
    EXPECT_GT(counts.lost, 0U);
    EXPECT_GT(counts.refused[static_cast<std::size_t>(Refusal::kRepeated)], 0U);
    EXPECT_EQ(counts.refused[static_cast<std::size_t>(Refusal::kMalformed)], 0U);
    world.faults = {};
    const auto samples = run(world, 11'000 * kWorldMs);
    EXPECT_NE(whole_again(samples, 10'300 * kWorldMs), kNever);
    EXPECT_TRUE(samples.back().sample.coverage.is_whole());
}

// What came home after a later one is older than what is known already.
TEST(RingWorld, WhatWasOvertakenIsCountedAndNotASample) {
    WorldSettings many = settings(16, Mode::kAppend);
    many.manager.period = kWorldMs;
    many.manager.in_flight = 8;
    World world(many);
    run(world, 500 * kWorldMs);
    EXPECT_EQ(world.manager().counts().overtaken, 0U);
    world.faults = {.late = 0.01, .late_by = 5 * kWorldMs};
    run(world, 2000 * kWorldMs);
    EXPECT_GT(world.manager().counts().overtaken, 0U);
    EXPECT_EQ(world.manager().counts().lost, 0U);
}

TEST(RingWorld, TheSegmentsFollowTheMeasuredCosts) {
    WorldSettings one = settings(256);
    one.manager.segments = 0;
    World world(one);
    run(world, 500 * kWorldMs);
    EXPECT_EQ(world.manager().spans().segments(), 1U) << "the manager's own cost is not known";
    world.manager().set_token_cost(8'000);
    const auto samples = run(world, 3000 * kWorldMs);
    // sqrt(256 x 32 us / 8 us) = 32
    EXPECT_GT(world.manager().spans().segments(), 16U);
    EXPECT_LT(world.manager().spans().segments(), 64U);
    EXPECT_TRUE(samples.back().sample.coverage.is_whole());
    EXPECT_LT(samples.back().sample.home - samples.back().sample.sent, 3 * kWorldMs);
}

// A hop that waits for a processor which other hops have does not get shorter by more segments.
TEST(RingWorld, SegmentsThatDoNotPayAreTakenBack) {
    WorldSettings one = settings(256);
    one.manager.segments = 0;
    one.one_processor = true;
    World world(one);
    world.manager().set_token_cost(8'000);
    run(world, 10'000 * kWorldMs);
    std::uint32_t most = 0;
    for (int i = 0; i < 100; ++i) {
        run(world, world.now() + 100 * kWorldMs);
        most = std::max(most, world.manager().spans().segments());
    }
    // Together they need 2 ms, which is what four segments take; by the costs of a hop alone it would be 32.
    EXPECT_LE(most, 16U);
    EXPECT_LE(world.manager().spans().segments(), 8U);
    EXPECT_TRUE(run(world, world.now() + 100 * kWorldMs).back().sample.coverage.is_whole());
}

TEST(RingWorld, ThePeriodKeepsTheBudget) {
    WorldSettings tight = settings(20);
    tight.manager.budget = {1, 100'000};  // bytes a second; a round is some 8,000
    World world(tight);
    run(world, 20'000 * kWorldMs);
    world.take_samples();
    const std::uint64_t before = world.bytes();
    const std::uint64_t rounds = world.manager().counts().rounds;
    run(world, 40'000 * kWorldMs);
    const std::uint64_t heartbeats = 20 * 4 * 4 * 5 * 72 * 20;  // 20 s of them
    const double a_second = static_cast<double>(world.bytes() - before - heartbeats) / 20;
    EXPECT_LT(a_second, 110'000);
    EXPECT_GT(world.manager().counts().rounds, rounds + 150) << "and uses it";
}

}  // namespace
}  // namespace kymo::ring::simulator
