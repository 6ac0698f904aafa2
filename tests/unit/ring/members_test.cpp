// The small parts of the ring's members, by hand: who is silent, whose clock is how far off, how often, which spans.

#include "ring/answers/asked_cell.h"
#include "ring/answers/descriptions.h"
#include "ring/members/agent.h"
#include "ring/members/clock_relation.h"
#include "ring/members/metric_queries.h"
#include "ring/members/pace.h"
#include "ring/members/spans.h"
#include "ring/members/watch.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::ring {
namespace {

using Slots = std::vector<Slot>;

void set(Watch& watch, const std::vector<Span>& groups, Time now) {
    watch.set(groups, now);
}

TEST(RingWatch, TheFirstIsAskedAndSilentAHeartbeatAfterItHasAnswered) {
    Watch watch(100);
    set(watch, {{3, 7}}, 1000);
    EXPECT_EQ(watch.ask(1000), (Slots{3}));
    EXPECT_FALSE(watch.is_silent(3, 1099));
    EXPECT_TRUE(watch.is_silent(3, 1100)) << "never heard";
    watch.answered(3, 1090);
    EXPECT_FALSE(watch.is_silent(3, 1189));
    EXPECT_TRUE(watch.is_silent(3, 1190));
    EXPECT_FALSE(watch.is_silent(4, 9999)) << "nobody asks it";
    EXPECT_FALSE(watch.is_silent(9, 9999)) << "nobody watches it";
    EXPECT_EQ(watch.next(1095), 1190U);
    EXPECT_EQ(watch.next(1190), kNever);
}

TEST(RingWatch, WhoIsSuspectedHasThoseBehindItAskedUntilItsSilenceIsCertain) {
    Watch watch(100);
    set(watch, {{3, 7}}, 1000);
    watch.ask(1000);
    watch.answered(3, 1001);
    EXPECT_EQ(watch.ask(1025), (Slots{3}));
    EXPECT_EQ(watch.ask(1037), (Slots{3})) << "it may still answer the second";
    EXPECT_EQ(watch.ask(1050), (Slots{3, 4, 5, 6}));
    watch.answered(5, 1052);
    EXPECT_EQ(watch.next(1060), 1101U);
    EXPECT_TRUE(watch.is_silent(3, 1101) && watch.is_silent(4, 1101) && watch.is_silent(6, 1101))
        << "all that failed together are known to";
    EXPECT_FALSE(watch.is_silent(5, 1101));
    EXPECT_EQ(watch.ask(1101), (Slots{3, 4, 5, 6})) << "5 is suspect: it has not answered for as long";
    watch.answered(5, 1102);
    EXPECT_EQ(watch.ask(1125), (Slots{3, 4, 5})) << "those before it may come back, those behind it are let be";
    EXPECT_FALSE(watch.is_silent(6, 1125)) << "nothing is known of it any more";
    watch.answered(3, 1130);
    EXPECT_EQ(watch.ask(1150), (Slots{3}));
}

TEST(RingWatch, WhoAnswersAgainIsSuspectedNoMore) {
    Watch watch(100);
    set(watch, {{3, 7}}, 1000);
    EXPECT_EQ(watch.ask(1050).size(), 4U);
    watch.answered(3, 1051);
    EXPECT_EQ(watch.ask(1075), (Slots{3}));
    watch.answered(4, 1076);  // late, of before
    EXPECT_FALSE(watch.is_silent(4, 5000));
}

TEST(RingWatch, WhereNobodyListensTheOneBehindIsAskedAtOnce) {
    Watch watch(100);
    set(watch, {{3, 7}}, 1000);
    watch.ask(1000);
    EXPECT_TRUE(watch.refused(3));
    EXPECT_FALSE(watch.refused(3)) << "that is known";
    EXPECT_FALSE(watch.refused(5)) << "nobody asks it";
    EXPECT_TRUE(watch.is_silent(3, 1001));
    EXPECT_EQ(watch.ask(1001), (Slots{3, 4}));
    EXPECT_FALSE(watch.is_silent(4, 1100)) << "it has an interval of its own";
    EXPECT_TRUE(watch.is_silent(4, 1101));
    watch.answered(3, 1020);
    EXPECT_FALSE(watch.is_silent(3, 1021));
}

TEST(RingWatch, EachSpanIsWatchedByItself) {
    Watch watch(100);
    set(watch, {{0, 4}, {10, 12}, {20, 24}}, 1000);
    EXPECT_EQ(watch.ask(1000), (Slots{0, 10, 20}));
    watch.answered(0, 1040);
    watch.answered(20, 1045);
    EXPECT_EQ(watch.ask(1050), (Slots{0, 10, 11, 20}));
}

TEST(RingWatch, WhatIsKnownStaysWhenOthersAreWatched) {
    Watch watch(100);
    set(watch, {{3, 6}}, 1000);
    watch.ask(1000);
    watch.answered(3, 1050);
    set(watch, {{3, 4}, {5, 7}}, 1080);
    EXPECT_TRUE(watch.is_silent(3, 1150));
    EXPECT_FALSE(watch.is_silent(5, 1179)) << "it is asked from now on";
    EXPECT_TRUE(watch.is_silent(5, 1180));
}

TEST(RingWatch, AnEarlierIncarnationIsNotHeardAndAFarewellIsBelieved) {
    Watch watch(100);
    set(watch, {{3, 4}}, 0);
    EXPECT_TRUE(watch.heard(3, 2, 10));
    EXPECT_FALSE(watch.heard(3, 1, 90));
    EXPECT_TRUE(watch.is_silent(3, 110));
    EXPECT_TRUE(watch.heard(3, 2, 120));
    watch.gone(3, 1);
    EXPECT_FALSE(watch.is_silent(3, 130)) << "an earlier one's farewell";
    watch.gone(3, 2);
    EXPECT_TRUE(watch.is_silent(3, 130));
    EXPECT_TRUE(watch.heard(3, 3, 140)) << "started again";
    EXPECT_FALSE(watch.is_silent(3, 150));
}

TEST(RingWatch, WhoWasStoppedBeginsAnew) {
    Watch watch(100);
    set(watch, {{3, 4}}, 0);
    watch.begin_anew(5000);
    EXPECT_FALSE(watch.is_silent(3, 5099));
}

// Any delays on any way: the truth stays within the bounds, and they narrow to the quickest round trip.
TEST(RingClock, TheTruthIsWithinTheError) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        std::mt19937_64 random(seed);
        const auto between = [&](std::uint64_t low, std::uint64_t high) { return low + random() % (high - low); };
        const auto offset = static_cast<std::int64_t>(between(0, 2'000'000'000)) - 1'000'000'000;
        const double drift = (static_cast<double>(between(0, 200)) - 100) * 1e-6;
        const auto local = [&](Time managers) {
            return static_cast<Time>(
                static_cast<std::int64_t>(managers) + offset +
                static_cast<std::int64_t>(static_cast<double>(managers - 2'000'000'000) * drift));
        };
        ClockRelation relation;
        EXPECT_EQ(relation.at(0).error, ~std::uint64_t{0});
        Time now = 2'000'000'000;
        for (int i = 0; i < 50; ++i) {
            now += between(1'000'000, 500'000'000);
            const Time there = now + between(10'000, 3'000'000);
            const Time leaves = there + between(1'000, 100'000);
            const Time home = leaves + between(10'000, 3'000'000);
            relation.came(now, local(there));
            relation.came_home(local(leaves), home, 0.5);
            const ClockRelation::Estimate estimate = relation.at(local(home));
            const auto truth = static_cast<std::int64_t>(local(home) - home);
            EXPECT_LE(static_cast<std::uint64_t>(std::abs(estimate.offset - truth)), estimate.error)
                << seed << ' ' << i;
            now = home;
        }
        EXPECT_LT(relation.at(local(now)).error, 6'000'000U);
    }
}

TEST(RingClock, OneClockNeedsNoEstimate) {
    ClockRelation relation;
    relation.same();
    EXPECT_EQ(relation.at(5).error, 0U);
    EXPECT_EQ(relation.at(5).offset, 0);
}

TEST(RingPace, DoublesOverTheBudgetAndComesDownInSteps) {
    Pace pace(1'000'000'000, 16'000'000'000, {.work_share = 0.001, .bytes_a_second = 1'000'000});
    pace.take(500'000, 100'000);
    EXPECT_EQ(pace.period(), 1'000'000'000U);
    EXPECT_FALSE(pace.is_held_back());
    pace.take(500'000, 1'100'000);  // 0.11 %
    EXPECT_EQ(pace.period(), 2'000'000'000U);
    EXPECT_TRUE(pace.is_held_back());
    pace.take(4'100'000, 0);
    EXPECT_EQ(pace.period(), 4'000'000'000U);
    for (int i = 0; i < 100; ++i) {
        pace.take(100, 9'000'000);  // needs 9 s
    }
    EXPECT_EQ(pace.period(), 9'000'000'000U) << "9 s: as low as the budget lets it";
    for (int i = 0; i < 100; ++i) {
        pace.take(100, 100);
    }
    EXPECT_EQ(pace.period(), 1'000'000'000U);
    for (int i = 0; i < 100; ++i) {
        pace.take(1U << 30U, 0);
    }
    EXPECT_EQ(pace.period(), 16'000'000'000U) << "and never longer than this";
}

TEST(RingPace, IsBackWithinTenRoundsOfAnyFlood) {
    for (const Time wanted : {1'000'000U, 500'000'000U, 1'000'000'000U}) {
        Pace pace(wanted, 60'000'000'000, {.work_share = 0.001, .bytes_a_second = 1'000'000});
        for (int i = 0; i < 100; ++i) {
            pace.take(100, 1'000'000'000);
        }
        EXPECT_EQ(pace.period(), 60'000'000'000U);
        for (int i = 0; i < 10; ++i) {
            pace.take(100, wanted / 2000);
        }
        EXPECT_EQ(pace.period(), wanted);
    }
}

TEST(RingPace, KeepsItsDistanceFromWhatTheBudgetNeeds) {
    Pace pace(500'000'000, 60'000'000'000, {.work_share = 0.001, .bytes_a_second = 1'000'000});
    for (int i = 0; i < 100; ++i) {
        pace.take(100, 1'000'000'000);
    }
    for (int i = 0; i < 10; ++i) {
        pace.take(100, 2'000'000);  // needs 2 s
        EXPECT_GE(pace.period(), 2'000'000'000U);
    }
    EXPECT_LE(pace.period(), 4'000'000'000U) << "near it in a few rounds, and from there in steps";
}

TEST(RingSpans, SegmentsAreEven) {
    Spans spans;
    EXPECT_TRUE(spans.set(10, 3));
    EXPECT_FALSE(spans.set(10, 3));
    ASSERT_EQ(spans.all().size(), 3U);
    EXPECT_EQ(spans.all()[0].first, 0U);
    EXPECT_EQ(spans.all()[1].first, 3U);
    EXPECT_EQ(spans.all()[2].first, 6U);
    EXPECT_EQ(spans.all()[2].end, 10U);
    EXPECT_TRUE(spans.set(2, 5));
    EXPECT_EQ(spans.all().size(), 2U);
}

TEST(RingSpans, ASpanThatFailsTwiceInARowIsCutAndMendedLater) {
    Spans spans;
    spans.set(8, 1);
    EXPECT_FALSE(spans.failed(0));
    spans.succeeded(0);
    EXPECT_FALSE(spans.failed(0));
    EXPECT_TRUE(spans.failed(0));
    ASSERT_EQ(spans.all().size(), 2U);
    EXPECT_EQ(spans.all()[1].first, 4U);
    EXPECT_FALSE(spans.mend([](Slot slot) { return slot == 4; }));
    EXPECT_FALSE(spans.mend([](Slot slot) { return slot == 3; }));
    EXPECT_TRUE(spans.mend([](Slot slot) { return slot == 5; }));
    EXPECT_EQ(spans.all().size(), 1U);
    spans.set(1, 1);
    EXPECT_FALSE(spans.failed(0) || spans.failed(0) || spans.failed(0)) << "one slot cannot be cut";
}

TEST(RingSpans, TheBestNumberOfSegmentsIsTheFormulas) {
    EXPECT_EQ(best_segments(10'000, 25, 25), 100U);
    EXPECT_EQ(best_segments(64, 30, 8), 15U);
    EXPECT_EQ(best_segments(4, 1, 1000), 1U);
    EXPECT_EQ(best_segments(4, 1000, 1), 4U);
    EXPECT_EQ(best_segments(4, 0, 0), 1U);
}

// What becomes of a manager's question among agents of which one knows nothing, one is of an earlier version, one has
// the metric.
TEST(RingMetricQueries, AskThoseWhoHaveTheMetricUntilOneTells) {
    constexpr std::uint64_t kJob = 7;
    JobSettings job;
    job.job = kJob;
    const MetricAsked sent{1, {}, metric_code(1, "sent")};
    const MetricAsked other{1, {}, metric_code(1, "nothing has this")};
    host::Reading host;
    host.processes.emplace_back().schema.push_back({cells::ResourceKind::kTask, cells::kFirstNamed,
                                                    cells::MetricType::kCounter, cells::Origin::kProgram, "bytes",
                                                    "sent", ""});
    const host::Reading empty;
    std::vector<Agent> agents;
    for (Slot slot = 0; slot < 3; ++slot) {
        AgentSettings settings;
        settings.job = job;
        settings.slot = slot;
        settings.slots = 3;
        const host::Reading& read = slot == 2 ? host : empty;
        agents.emplace_back(
            settings, [](auto, auto) {}, 0, Agent::Obey(), Agent::Tell(),
            [&read](std::span<const MetricAsked> asked) { return describe_metrics(read, asked); });
    }
    MetricQueries queries(job, 1);
    EXPECT_EQ(queries.next(), kNever);
    queries.ask({sent, other}, 0);
    queries.heard(1, 2);
    std::map<Slot, int> asked;
    Time now = 0;
    for (int i = 0; i < 40 && queries.told().empty(); ++i, now = queries.next()) {
        if (i == 4) {
            queries.has(2, sent);
        }
        Outbox out;
        queries.send(3, now, out);
        for (const Outgoing& each : out) {
            Prefix prefix{};
            ASSERT_EQ(open_prefix(each.frame, prefix), Refusal::kNone);
            if (prefix.kind == FrameKind::kProbe) {
                queries.heard(each.to, kMinorVersion);
                continue;
            }
            ++asked[each.to];
            Outbox answer;
            agents[each.to].on_frame(each.frame, now, answer);
            ASSERT_EQ(answer.size(), 1U);
            EXPECT_EQ(queries.take(answer[0].frame, 3), Refusal::kNone);
        }
    }
    ASSERT_EQ(queries.told().size(), 1U);
    EXPECT_EQ(text_of(queries.told()[0].name), "sent");
    EXPECT_EQ(text_of(queries.told()[0].unit), "bytes");
    EXPECT_EQ(queries.told()[0].type, static_cast<std::uint8_t>(cells::MetricType::kCounter));
    EXPECT_EQ(asked.count(1), 0U) << "it is of an earlier version";
    EXPECT_TRUE(queries.is_open()) << "the other one is still asked for";
    EXPECT_FALSE(queries.is_beyond(other));
    queries.has(1, other);
    EXPECT_TRUE(queries.is_beyond(other)) << "those that have it tell nothing";
    Descriptions late{{2, 1, 0, 1, 1000}, {queries.told()[0]}};
    EXPECT_EQ(queries.take(make_descriptions(3, kJob, 1, late), 3), Refusal::kStale) << "of a query to come";
    late.head.number = 1;
    EXPECT_EQ(queries.take(make_descriptions(3, kJob, 2, late), 3), Refusal::kStale) << "of another epoch";
    late.head.slot = 3;
    EXPECT_EQ(queries.take(make_descriptions(3, kJob, 1, late), 3), Refusal::kMisrouted);
    EXPECT_EQ(queries.told().size(), 1U);
}

}  // namespace
}  // namespace kymo::ring
