// DetailQueries and rows: what may be wrong with one, until when the manager asks, and what agents make of it.

#include "base/channels/kind.h"
#include "ring/members/agent.h"
#include "ring/members/detail_queries.h"
#include "simulator/world.h"

#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

constexpr Time kDetailMs = 1'000'000;
constexpr JobSettings kDetailJob{77, 200 * kDetailMs, 4};

AskedTable asked_threads(std::uint32_t rows = 4) {
    return {{1, 0, 2, rows, kEvery, 1, 0}, {1, kByName | 5}};
}

Rows told_threads(std::uint64_t number, std::uint64_t incarnation = 1) {
    const RowHead head{12, 3, 0, 0, 10, 1, 0, RowIs::kThere, 0, 0, row_name("t")};
    return {{3, 1, 0, incarnation, number}, {5, 0, 0}, {{{1, 0, 2, 1, kEvery, 1, 1}, {{head, {7, 8}}}}}};
}

Bytes detail_query_frame(const DetailQuery& query, std::uint64_t epoch = 2, std::uint64_t job = kDetailJob.job) {
    return make_detail_query(8, job, epoch, query);
}
Bytes rows_frame(const Rows& rows, std::uint64_t epoch = 2) {
    return make_rows(8, kDetailJob.job, epoch, rows);
}

Refusal opened_detail_query(const Bytes& frame) {
    Prefix prefix{};
    DetailQuery read;
    return open_detail_query(frame, prefix, read);
}
Refusal opened_rows(const Bytes& frame) {
    Prefix prefix{};
    Rows read;
    return open_rows(frame, prefix, read);
}

TEST(RingDetailQuery, EachMistakeHasItsName) {
    const DetailQuery good{{3, 1, 0, 0, 1}, {asked_threads()}};
    EXPECT_EQ(opened_detail_query(detail_query_frame(good)), Refusal::kNone);
    const auto with = [&good](auto change) {
        DetailQuery bad = good;
        change(bad.head, bad.tables[0]);
        return opened_detail_query(detail_query_frame(bad));
    };
    EXPECT_EQ(with([](auto& head, auto&) { head.number = 0; }), Refusal::kMalformed) << "they count from 1";
    EXPECT_EQ(with([](auto& head, auto&) { head.slot = kMaxSlots; }), Refusal::kMalformed);
    EXPECT_EQ(with([](auto&, auto& table) { table.head.kind = 0; }), Refusal::kMalformed);
    EXPECT_EQ(with([](auto&, auto& table) { table.head.kind = 4; }), Refusal::kMalformed);
    EXPECT_EQ(with([](auto&, auto& table) { table.head.level = 2; }), Refusal::kMalformed) << "a host is no row";
    EXPECT_EQ(with([](auto&, auto& table) { table.head.level = 1; }), Refusal::kNone) << "processes";
    EXPECT_EQ(with([](auto&, auto& table) { table.head.rows = 0; }), Refusal::kMalformed);
    EXPECT_EQ(with([](auto&, auto& table) { table.head.rows = kMaxRows; }), Refusal::kNone);
    EXPECT_EQ(with([](auto&, auto& table) { table.head.rows = kMaxRows + 1; }), Refusal::kMalformed);
    EXPECT_EQ(with([](auto&, auto& table) { table.head.order = 4; }), Refusal::kMalformed) << "there are two metrics";
    EXPECT_EQ(with([](auto&, auto& table) { table.head.there = 1; }), Refusal::kMalformed) << "the agent's to say";
    EXPECT_EQ(with([](auto&, auto& table) { table.metrics.resize(kMaxMetrics); }), Refusal::kNone);
    EXPECT_EQ(with([](auto&, auto& table) { table.metrics.resize(kMaxMetrics + 1); }), Refusal::kMalformed);
    EXPECT_EQ(with([](auto&, auto& table) {
                  table.head.kind = 2;
                  table.head.process = 7;
              }),
              Refusal::kMalformed)
        << "processors are nobody's";
    EXPECT_EQ(with([](auto&, auto& table) {
                  table.head.kind = 3;
                  table.head.level = 1;
              }),
              Refusal::kMalformed)
        << "channels are single ones";
    Bytes frame = detail_query_frame(good);
    frame[36] = 2;  // says that there are two tables
    EXPECT_EQ(opened_detail_query(frame), Refusal::kTruncated);
    frame[36] = kMaxTables + 1;
    EXPECT_EQ(opened_detail_query(frame), Refusal::kMalformed);
    frame[36] = 0;
    EXPECT_EQ(opened_detail_query(frame), Refusal::kMalformed);
    DetailQuery two = good;
    two.tables.push_back(asked_threads());
    frame = detail_query_frame(two);
    frame[36] = 1;
    EXPECT_EQ(opened_detail_query(frame), Refusal::kOversized);
    EXPECT_EQ(opened_rows(detail_query_frame(good)), Refusal::kMalformed) << "the other kind";
}

TEST(RingDetailQuery, EachMistakeInRowsHasItsName) {
    EXPECT_EQ(opened_rows(rows_frame(told_threads(1))), Refusal::kNone);
    const auto with = [](auto change) {
        Rows bad = told_threads(1);
        change(bad.tables[0]);
        return opened_rows(rows_frame(bad));
    };
    EXPECT_EQ(with([](ToldTable& table) { table.head.there = 0; }), Refusal::kMalformed) << "more than there are";
    EXPECT_EQ(with([](ToldTable& table) { table.head.there = 9; }), Refusal::kNone) << "eight were left out";
    EXPECT_EQ(with([](ToldTable& table) { table.rows[0].head.state = RowIs{0}; }), Refusal::kMalformed);
    EXPECT_EQ(with([](ToldTable& table) { table.rows[0].head.state = RowIs{4}; }), Refusal::kMalformed);
    EXPECT_EQ(with([](ToldTable& table) { table.rows[0].head.direction = kEndDirections - 1; }), Refusal::kNone);
    EXPECT_EQ(with([](ToldTable& table) { table.rows[0].head.direction = kEndDirections; }), Refusal::kMalformed);
    EXPECT_EQ(with([](ToldTable& table) { table.rows[0].head.unknown = 4; }), Refusal::kMalformed);
    EXPECT_EQ(with([](ToldTable& table) { table.rows[0].head.unknown = 2; }), Refusal::kMalformed)
        << "not known, and 8";
    EXPECT_EQ(with([](ToldTable& table) {
                  table.rows[0].head.unknown = 2;
                  table.rows[0].values[1] = 0;
              }),
              Refusal::kNone);
    Bytes frame = rows_frame(told_threads(1));
    frame[72 + 4] = 2;  // says that there are two rows
    frame[72 + 20] = 2;
    EXPECT_EQ(opened_rows(frame), Refusal::kTruncated);
    frame[72 + 6] = 1;  // or 65,538
    EXPECT_EQ(opened_rows(frame), Refusal::kMalformed);
    frame = rows_frame(told_threads(1));
    frame[72 + 4] = 0;
    EXPECT_EQ(opened_rows(frame), Refusal::kOversized);
}

struct Teller {
    std::uint32_t times = 0;
    Agent agent{{kDetailJob, 3, 5, 0, 8},
                [](auto /*entries*/, auto /*records*/) {},
                1,
                {},
                [this](std::span<const AskedTable> tables) {
                    ++times;
                    Rows rows = told_threads(9);
                    rows.tables.resize(tables.size(), rows.tables[0]);
                    return rows;
                }};
    std::uint64_t refused(Refusal why) const { return agent.counts().refused[static_cast<std::size_t>(why)]; }
    Outbox hear(const Bytes& frame) {
        Outbox out;
        agent.on_frame(frame, 2, out);
        return out;
    }
};

Bytes look_at(Slot slot, std::uint64_t number, std::uint64_t epoch = 2, std::uint64_t job = kDetailJob.job) {
    return detail_query_frame({{slot, 1, 0, 0, number}, {asked_threads()}}, epoch, job);
}

// A manager of before 1.4 would refuse all rows for one such.
TEST(RingDetailQuery, AnAgentTellsEarlierManagersOfNoEndsOfChannels) {
    constexpr std::size_t kMinorAt = 5;
    for (const std::uint8_t minor : {std::uint8_t{3}, kEndsSince}) {
        Agent agent{{kDetailJob, 3, 5, 0, 8},
                    [](auto /*entries*/, auto /*records*/) {},
                    1,
                    {},
                    [](std::span<const AskedTable> tables) {
                        Rows rows = told_threads(3);
                        rows.tables.resize(tables.size(), rows.tables[0]);
                        rows.tables[0].rows.resize(3, rows.tables[0].rows[0]);
                        rows.tables[0].head.rows = rows.tables[0].head.there = 3;
                        rows.tables[0].rows[1].head.direction = kFirstEnd;
                        return rows;
                    }};
        Bytes frame = look_at(3, 2);
        frame[kMinorAt] = minor;
        Outbox out;
        agent.on_frame(frame, 2, out);
        ASSERT_EQ(out.size(), 1U);
        Prefix prefix{};
        Rows rows;
        ASSERT_EQ(open_rows(out[0].frame, prefix, rows), Refusal::kNone);
        EXPECT_EQ(rows.tables[0].rows.size(), minor < kEndsSince ? 2U : 3U);
        EXPECT_EQ(rows.tables[0].head.rows, rows.tables[0].rows.size());
    }
}

TEST(RingDetailQuery, AnAgentTellsAndRefusesWhatIsNotForIt) {
    Teller host;
    const Outbox out = host.hear(look_at(3, 2));
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].to, kManager);
    Prefix prefix{};
    Rows rows;
    ASSERT_EQ(open_rows(out[0].frame, prefix, rows), Refusal::kNone);
    EXPECT_EQ(prefix.epoch, 2U);
    EXPECT_EQ(rows.head.slot, 3U);
    EXPECT_EQ(rows.head.incarnation, 5U);
    EXPECT_EQ(rows.head.number, 2U);
    EXPECT_EQ(rows.tables, told_threads(2).tables);

    EXPECT_EQ(host.hear(look_at(3, 2)).size(), 1U) << "it may come twice";
    EXPECT_TRUE(host.hear(look_at(3, 1)).empty()) << "the one before comes late";
    EXPECT_TRUE(host.hear(look_at(3, 9, 1)).empty()) << "of a manager that is gone";
    EXPECT_EQ(host.refused(Refusal::kStale), 2U);
    EXPECT_TRUE(host.hear(look_at(4, 3)).empty());
    EXPECT_EQ(host.refused(Refusal::kMisrouted), 1U);
    EXPECT_TRUE(host.hear(look_at(3, 3, 2, kDetailJob.job + 1)).empty());
    EXPECT_EQ(host.refused(Refusal::kForeign), 1U);
    EXPECT_EQ(host.times, 2U);
    EXPECT_EQ(host.agent.counts().queries, 2U);
    EXPECT_EQ(host.hear(look_at(3, 1, 3)).size(), 1U) << "the next manager's first";
    EXPECT_TRUE(host.hear(rows_frame(told_threads(1))).empty()) << "rows are the manager's to read";
    EXPECT_EQ(host.refused(Refusal::kMalformed), 1U);

    Agent mute({kDetailJob, 3, 5, 0, 8}, [](auto /*entries*/, auto /*records*/) {}, 1);
    Outbox none;
    mute.on_frame(look_at(3, 1), 2, none);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(mute.counts().refused[static_cast<std::size_t>(Refusal::kMalformed)], 1U);
}

std::vector<FrameKind> kinds(const Outbox& out) {
    std::vector<FrameKind> kinds;
    for (const Outgoing& each : out) {
        Prefix prefix{};
        EXPECT_EQ(open_prefix(each.frame, prefix), Refusal::kNone);
        EXPECT_EQ(each.to, 3U);
        kinds.push_back(prefix.kind);
    }
    return kinds;
}

TEST(RingDetailQuery, TheManagerAsksUntilItIsTold) {
    using State = DetailQueries::State;
    DetailQueries queries(kDetailJob, 2);
    EXPECT_EQ(queries.next(), kNever);
    EXPECT_EQ(queries.state(0), State::kNothing);
    Time now = 1000 * kDetailMs;
    EXPECT_EQ(queries.take(rows_frame(told_threads(1)), 8, now), Refusal::kStale) << "nobody has asked";
    queries.ask(3, {asked_threads()}, now);
    EXPECT_EQ(queries.state(now), State::kAsked);
    Outbox out;
    queries.send(8, now, out);
    EXPECT_EQ(kinds(out), std::vector{FrameKind::kDetailQuery});
    out.clear();
    queries.send(8, queries.next() - 1, out);
    EXPECT_TRUE(out.empty());
    queries.send(8, queries.next(), out);
    EXPECT_EQ(kinds(out), (std::vector{FrameKind::kDetailQuery, FrameKind::kProbe})) << "does it know queries?";
    EXPECT_EQ(queries.state(now + 2 * kDetailJob.heartbeat - 1), State::kAsked);
    EXPECT_EQ(queries.state(now + 2 * kDetailJob.heartbeat), State::kSilent);

    const auto take = [&](Rows rows, std::uint64_t epoch = 2) {
        return queries.take(rows_frame(rows, epoch), 8, now);
    };
    EXPECT_EQ(take(told_threads(1), 1), Refusal::kStale) << "to a manager that is gone";
    EXPECT_EQ(take(told_threads(2)), Refusal::kStale) << "to none that was asked";
    Rows other = told_threads(1);
    other.head.slot = 4;
    EXPECT_EQ(take(other), Refusal::kMisrouted);
    EXPECT_EQ(queries.take(rows_frame(told_threads(1)), 2, now), Refusal::kMisrouted) << "there is no such slot";
    other = told_threads(1);
    other.tables.push_back(other.tables[0]);
    EXPECT_EQ(take(other), Refusal::kMalformed) << "of two tables";
    other = told_threads(1);
    other.tables[0].head.process = 7;
    EXPECT_EQ(take(other), Refusal::kMalformed) << "of another process";
    other = told_threads(1);
    other.tables[0].head.there = 5;
    other.tables[0].rows.resize(5, other.tables[0].rows[0]);
    EXPECT_EQ(take(other), Refusal::kMalformed) << "more than were wanted";
    EXPECT_EQ(queries.rows(), nullptr);

    EXPECT_EQ(take(told_threads(1, 4)), Refusal::kNone);
    EXPECT_EQ(take(told_threads(1, 4)), Refusal::kRepeated);
    EXPECT_EQ(queries.state(now + 9 * kDetailJob.heartbeat), State::kTold);
    EXPECT_FALSE(queries.is_open());
    EXPECT_EQ(queries.next(), kNever);
    ASSERT_NE(queries.rows(), nullptr);
    EXPECT_EQ(queries.rows()->tables, told_threads(1).tables);

    now += 1000 * kDetailMs;
    queries.ask(3, {asked_threads()}, now);
    EXPECT_EQ(queries.state(now), State::kTold) << "those of before, meanwhile";
    EXPECT_EQ(take(told_threads(1, 4)), Refusal::kStale) << "come late";
    EXPECT_EQ(take(told_threads(2, 3)), Refusal::kStale) << "of the agent before it was started again";
    EXPECT_EQ(queries.state(now + 2 * kDetailJob.heartbeat), State::kSilent);
    EXPECT_EQ(take(told_threads(2, 5)), Refusal::kNone);
    queries.ask(3, {asked_threads(2)}, now);
    EXPECT_EQ(queries.rows(), nullptr) << "another question";
    queries.end();
    EXPECT_EQ(queries.state(now), State::kNothing);
    EXPECT_EQ(queries.next(), kNever);
}

TEST(RingDetailQuery, AnEarlierAgentIsKnownByItsHeartbeats) {
    using State = DetailQueries::State;
    ManagerSettings settings;
    settings.job = kDetailJob;
    settings.epoch = 2;
    settings.slots = 8;
    settings.period = 3600'000 * kDetailMs;
    Manager manager(settings, {{1, 2, 0, 1, kEvery}}, 0);
    manager.query(3, {asked_threads()}, 0);
    Outbox out;
    manager.on_timer(1, out);
    const auto heartbeat = [&](Slot slot, std::uint8_t minor, Time now) {
        Bytes frame = make_heartbeat(FrameKind::kHeartbeat, 8, kDetailJob.job, 2, {slot, 0, 1, 1, 0, 0, 0});
        frame[5] = minor;
        manager.on_frame(frame, now, out);
    };
    heartbeat(4, 1, 2);
    EXPECT_EQ(manager.queries().state(2), State::kAsked) << "of another one";
    heartbeat(3, 1, 3);
    EXPECT_EQ(manager.queries().state(3), State::kEarlier);
    // It is left alone, and asked again once in a while: it may have been started again.
    std::size_t asked = 0;
    for (Time now = 4; now < 4 + 10 * kDetailJob.heartbeat; now += 10 * kDetailMs) {
        out.clear();
        manager.on_timer(now, out);
        for (const Outgoing& each : out) {
            Prefix prefix{};
            asked +=
                open_prefix(each.frame, prefix) == Refusal::kNone && prefix.kind == FrameKind::kDetailQuery ? 1 : 0;
        }
    }
    EXPECT_GE(asked, 2U);
    EXPECT_LE(asked, 4U);
    heartbeat(3, kDetailsSince, 4 + 10 * kDetailJob.heartbeat);
    EXPECT_NE(manager.queries().state(4), State::kEarlier);
}

struct DetailWorld {
    simulator::WorldSettings settings;
    std::unique_ptr<simulator::World> world;
    DetailWorld() {
        settings.agents = 6;
        settings.manager.job = kDetailJob;
        settings.manager.period = 20 * kDetailMs;
        settings.request = {{1, 2, 0, simulator::kKnownValue, kEvery}};
        world = std::make_unique<simulator::World>(settings);
        world->run_until(2000 * kDetailMs);
    }
    // Asked again and again, as a view does: how many queries of so long were told, each of them right.
    std::uint32_t follow(Slot slot, Time until) {
        std::uint32_t told = 0;
        while (world->now() < until) {
            Manager& manager = world->manager();
            if (manager.queries().state(world->now()) == DetailQueries::State::kNothing ||
                !manager.queries().is_open()) {
                manager.query(slot, {asked_threads(3)}, world->now());
            }
            world->run_until(world->now() + 20 * kDetailMs);
            if (const Rows* const rows = manager.queries().rows(); rows != nullptr && !manager.queries().is_open()) {
                ++told;
                EXPECT_EQ(rows->head.slot, slot);
                EXPECT_EQ(rows->tables[0].head.there, simulator::kKnownRows);
                EXPECT_EQ(rows->tables[0].rows.size(), 3U);
                EXPECT_EQ(rows->tables[0].rows[2].values[1], simulator::known_value(slot) + 2);
                EXPECT_GE(rows->facts.read, last_) << "never one that is older";
                last_ = rows->facts.read;
            }
        }
        return told;
    }
    Time last_ = 0;
};

TEST(RingDetailQuery, RowsComeWhateverIsLostDoubledOrLate) {
    DetailWorld it;
    it.world->faults = {.lost = 0.25, .doubled = 0.25, .late = 0.25, .late_by = 300 * kDetailMs};
    EXPECT_GE(it.follow(4, it.world->now() + 20'000 * kDetailMs), 40U);
    const auto& refused = it.world->manager().counts().refused;
    EXPECT_EQ(refused[static_cast<std::size_t>(Refusal::kMalformed)], 0U);
    EXPECT_GT(refused[static_cast<std::size_t>(Refusal::kRepeated)], 0U) << "answers that came twice";
}

TEST(RingDetailQuery, AnAgentThatIsGoneIsSilentAndTellsAgainWhenItIsBack) {
    DetailWorld it;
    EXPECT_GE(it.follow(4, it.world->now() + 1000 * kDetailMs), 10U);
    it.world->kill(4);
    EXPECT_EQ(it.follow(4, it.world->now() + 1000 * kDetailMs), 0U);
    EXPECT_EQ(it.world->manager().queries().state(it.world->manager().next_timer()), DetailQueries::State::kSilent);
    it.world->restart(4);
    EXPECT_GE(it.follow(4, it.world->now() + 1000 * kDetailMs), 10U);
    const auto& refused = it.world->manager().counts().refused;
    EXPECT_EQ(refused[static_cast<std::size_t>(Refusal::kMalformed)], 0U);
}

TEST(RingDetailQuery, TheNextManagerIsToldToo) {
    DetailWorld it;
    EXPECT_GE(it.follow(4, it.world->now() + 1000 * kDetailMs), 10U);
    it.world->kill_manager();
    it.world->run_until(it.world->now() + 500 * kDetailMs);
    it.world->restart_manager();
    EXPECT_GE(it.follow(4, it.world->now() + 1500 * kDetailMs), 10U);
}

// DetailQueries go beside the ring: while one host is looked at, rounds are as many, and cover as much.
TEST(RingDetailQuery, TokensDoNotNotice) {
    const auto rounds = [](bool queries) {
        DetailWorld it;
        it.world->take_samples();
        const Time until = it.world->now() + 2000 * kDetailMs;
        if (queries) {
            EXPECT_GE(it.follow(2, until), 50U);
        } else {
            it.world->run_until(until);
        }
        std::size_t whole = 0;
        for (const auto& ended : it.world->take_samples()) {
            EXPECT_TRUE(ended.sample.coverage.is_whole());
            ++whole;
        }
        return whole;
    };
    EXPECT_EQ(rounds(true), rounds(false));
}

}  // namespace
}  // namespace kymo::ring
