// Orders: what may be wrong with one, who is told, and what agents make of it.

#include "ring/answers/switches.h"
#include "ring/members/agent.h"
#include "simulator/world.h"

#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

constexpr Time kOrderMs = 1'000'000;
constexpr JobSettings kJob{77, 200 * kOrderMs, 4};
constexpr Switch kOff{1, 0, 0, kByName | 5, 0, 0, 0};

Bytes order(Slot slot, std::uint64_t number, std::uint64_t epoch = 2, std::uint64_t job = kJob.job) {
    return make_order(FrameKind::kOrder, 8, job, epoch, {{slot, 0, 0, 0, number}, {kOff}});
}

Refusal opened(const Bytes& frame) {
    Prefix prefix{};
    Order read;
    return open_order(frame, prefix, read);
}

TEST(RingOrder, EachMistakeHasItsName) {
    EXPECT_EQ(opened(order(7, 1)), Refusal::kNone);
    EXPECT_EQ(opened(order(7, 0)), Refusal::kMalformed) << "they count from 1";
    EXPECT_EQ(opened(order(kMaxSlots, 1)), Refusal::kMalformed);
    const auto with = [](Switch each, FrameKind kind) {
        return opened(make_order(kind, 8, 1, 2, {{7, 0, 0, 0, 1}, {each}}));
    };
    Switch each = kOff;
    each.kind = 4;
    EXPECT_EQ(with(each, FrameKind::kOrder), Refusal::kMalformed);
    each = kOff;
    each.on = 2;
    EXPECT_EQ(with(each, FrameKind::kOrder), Refusal::kMalformed);
    each = kOff;
    each.period = kLongestReading + 1;
    EXPECT_EQ(with(each, FrameKind::kOrder), Refusal::kMalformed);
    each = kOff;
    each.programs = 3;
    each.obeyed = 2;
    EXPECT_EQ(with(each, FrameKind::kOrder), Refusal::kMalformed) << "an order knows no programs";
    EXPECT_EQ(with(each, FrameKind::kAnswer), Refusal::kNone);
    each.obeyed = 4;
    EXPECT_EQ(with(each, FrameKind::kAnswer), Refusal::kMalformed);
    Bytes frame = order(7, 1);
    frame[36] = 2;  // says that there are two
    EXPECT_EQ(opened(frame), Refusal::kTruncated);
    frame[36] = 0;
    EXPECT_EQ(opened(frame), Refusal::kOversized);
    frame[36] = kMaxSwitches + 1;
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
    frame = order(7, 1);
    frame[6] = 2;  // a heartbeat of that length
    EXPECT_EQ(opened(frame), Refusal::kMalformed);
}

struct Listener {
    std::vector<Switch> obeyed;
    std::uint32_t times = 0;
    Agent agent{{kJob, 3, 5, 0, 8},
                [](auto /*entries*/, auto /*records*/) {},
                1,
                [this](std::span<Switch> switches) {
                    ++times;
                    switches[0].programs = 2;
                    switches[0].obeyed = 1;
                    obeyed.assign(switches.begin(), switches.end());
                }};
    std::uint64_t refused(Refusal why) const { return agent.counts().refused[static_cast<std::size_t>(why)]; }
    Outbox hear(const Bytes& frame) {
        Outbox out;
        agent.on_frame(frame, 2, out);
        return out;
    }
};

TEST(RingOrder, AnAgentObeysAndAnswersAndRefusesWhatIsNotForIt) {
    Listener host;
    const Outbox out = host.hear(order(3, 2));
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].to, kManager);
    Prefix prefix{};
    Order answer;
    ASSERT_EQ(open_order(out[0].frame, prefix, answer), Refusal::kNone);
    EXPECT_EQ(prefix.kind, FrameKind::kAnswer);
    EXPECT_EQ(prefix.epoch, 2U);
    EXPECT_EQ(answer.head.slot, 3U);
    EXPECT_EQ(answer.head.incarnation, 5U);
    EXPECT_EQ(answer.head.number, 2U);
    EXPECT_EQ(answer.switches, host.obeyed);
    EXPECT_EQ(answer.switches[0].programs, 2U);

    EXPECT_EQ(host.hear(order(3, 2)).size(), 1U) << "it may come twice";
    EXPECT_TRUE(host.hear(order(3, 1)).empty()) << "the one before comes late";
    EXPECT_TRUE(host.hear(order(3, 9, 1)).empty()) << "of a manager that is gone";
    EXPECT_EQ(host.refused(Refusal::kStale), 2U);
    EXPECT_TRUE(host.hear(order(4, 3)).empty());
    EXPECT_EQ(host.refused(Refusal::kMisrouted), 1U);
    EXPECT_TRUE(host.hear(order(3, 3, 2, kJob.job + 1)).empty());
    EXPECT_EQ(host.refused(Refusal::kForeign), 1U);
    EXPECT_EQ(host.times, 2U);
    EXPECT_EQ(host.hear(order(3, 1, 3)).size(), 1U) << "the next manager's first";
}

TEST(RingOrder, EachIsToldUntilItAnswersAndNowAndThenAgain) {
    Orders orders(kJob, 2);
    EXPECT_EQ(orders.next(), kNever);
    orders.begin({kOff}, 1000 * kOrderMs);
    Outbox out;
    orders.send(3, 1000 * kOrderMs, out);
    ASSERT_EQ(out.size(), 3U);
    Prefix prefix{};
    Order answer;
    ASSERT_EQ(open_order(out[1].frame, prefix, answer), Refusal::kNone);
    answer.switches[0].programs = 4;
    answer.switches[0].obeyed = 3;
    EXPECT_EQ(orders.take(answer, 3), Refusal::kNone);
    EXPECT_EQ(orders.take(answer, 3), Refusal::kNone) << "an answer that comes twice counts once";
    EXPECT_EQ(orders.answered(), 1U);
    EXPECT_EQ(orders.state()[0].programs, 4U);
    EXPECT_EQ(orders.state()[0].obeyed, 3U);
    out.clear();
    orders.send(3, orders.next() - 1, out);
    EXPECT_TRUE(out.empty());
    orders.send(3, orders.next(), out);
    ASSERT_EQ(out.size(), 2U);
    EXPECT_EQ(out[0].to, 0U);
    EXPECT_EQ(out[1].to, 2U);
    out.clear();
    orders.send(3, 1000 * kOrderMs + 4 * kJob.heartbeat, out);
    EXPECT_EQ(out.size(), 3U) << "all again";

    Switch on = kOff;
    on.on = 1;
    Switch other = kOff;
    other.metric = 9;
    orders.begin({on, other}, 5000 * kOrderMs);
    EXPECT_EQ(orders.switches(), (std::vector{on, other}));
    EXPECT_EQ(orders.answered(), 0U);
    EXPECT_EQ(orders.take(answer, 3), Refusal::kStale) << "of the order before";
    answer.head.number = 2;
    EXPECT_EQ(orders.take(answer, 3), Refusal::kMalformed) << "of other switches";
    EXPECT_EQ(orders.take(answer, 1), Refusal::kMisrouted) << "there is no such slot";
}

// Over channels that lose a third of everything, and with an agent that dies and comes back without its memory.
TEST(RingOrder, AllHearOfItWhateverIsLost) {
    simulator::WorldSettings settings;
    settings.agents = 12;
    settings.manager.job = kJob;
    settings.manager.period = 20 * kOrderMs;
    settings.request = {{1, 2, 0, simulator::kKnownValue, kEvery}};
    simulator::World world(settings);
    world.run_until(2000 * kOrderMs);
    world.faults.lost = 0.33;
    world.manager().order({kOff}, world.now());
    world.kill(4);
    world.run_until(6000 * kOrderMs);
    EXPECT_EQ(world.manager().orders().answered(), 11U);
    world.restart(4);
    world.run_until(12'000 * kOrderMs);
    EXPECT_EQ(world.manager().orders().answered(), 12U);
    for (Slot slot = 0; slot < 12; ++slot) {
        EXPECT_GE(world.agent(slot).counts().orders, 1U) << slot;
    }
    const auto& refused = world.manager().counts().refused;
    EXPECT_EQ(refused[static_cast<std::size_t>(Refusal::kMalformed)], 0U);
}

TEST(RingSwitches, FiguresAreSaidAgainUntilTheyAreOldEnough) {
    Switches switches;
    Switch seldom{1, 1, 0, 7, 1000, 0, 0};
    switches.obey(std::span(&seldom, 1));
    const Entry entries[] = {{1, 3, 0, 7, 0}, {1, 3, 0, 8, 0}, {2, 3, 0, 7, 0}};
    const auto said = [&](Time now, std::uint64_t value) {
        std::vector<Record> records(3);
        for (Record& record : records) {
            record.add(value);
        }
        switches.hold(now, entries, records);
        EXPECT_EQ(records[1].sum_low, value) << "another metric";
        EXPECT_EQ(records[2].sum_low, value) << "of another kind";
        return records[0].sum_low;
    };
    EXPECT_EQ(said(5000, 1), 1U);
    EXPECT_EQ(said(5999, 2), 1U);
    EXPECT_EQ(said(6000, 3), 3U);
    EXPECT_EQ(said(6999, 4), 3U);
    seldom.period = 0;
    switches.obey(std::span(&seldom, 1));
    EXPECT_EQ(said(6999, 5), 5U);
}

}  // namespace
}  // namespace kymo::ring
