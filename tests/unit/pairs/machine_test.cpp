// What the machine does beside testing: several cells, sources found, sources gone quiet, clocks that wrap.
#include "pairs/machine.h"

#include "pairs/design/wish.h"
#include "streams.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace kymo::pairs {
namespace {

Rule rule_for(double share, double refuse, std::uint32_t cells, Form form = Form::kSequential) {
    Wish wish;
    wish.share = share;
    wish.refuse = refuse;
    wish.cells = cells;
    wish.form = form;
    return *make_rule(wish);
}

class Forms : public testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Machine, Forms, testing::Values(Form::kSequential, Form::kPair),
                         [](const auto& form) { return form.param == Form::kPair ? "Pair" : "Sequential"; });

TEST_P(Forms, CellsNeverTestTheSameKey) {
    Machine machine;
    start(machine, rule_for(0.3, 0.1, 8, GetParam()), 1);
    std::mt19937_64 random(7);
    for (int i = 0; i < 100'000; ++i) {
        step(machine, 1 + random() % 6);
        std::set<std::uint64_t> keys;
        for (std::uint32_t slot = 0; slot < kFollowed; ++slot) {
            const Cell& cell = machine.cells[slot];
            EXPECT_TRUE(cell.key == 0 || keys.insert(cell.key).second);
            // Every key leads to its slot.
            EXPECT_TRUE(cell.key == 0 || machine.place[place_of(cell.key, machine.factor)] == slot);
        }
        EXPECT_EQ(std::count_if(std::begin(machine.place), std::end(machine.place),
                                [](std::uint8_t slot) { return slot < kFollowed; }),
                  static_cast<std::ptrdiff_t>(keys.size()));
    }
}

// The patent's own order: capture at the first event, whatever the rest that comes later.
TEST(Pair, CapturesTheFirstEvent) {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        Wish wish = with_terminals({}, {10, 3}, false, false);
        wish.cells = 1 + seed % 4;
        Machine machine;
        start(machine, *make_rule(wish), seed);
        step(machine, 5);
        EXPECT_EQ(tested_key(machine, 0), 5U);
        EXPECT_EQ(step(machine, 5).turn, Turn::kNothing);
        EXPECT_EQ(step(machine, 5).turn, Turn::kNothing);
        ASSERT_EQ(step(machine, 5).turn, Turn::kFound);
        EXPECT_EQ(machine.found[0].test_events, 3U);
        EXPECT_EQ(machine.found[0].test_matches, 3U);
    }
}

TEST_P(Forms, FindsEverySourceAboveTheShareOnce) {
    // 40, 30, 20 %, and 10 % of crumbs.
    Machine machine;
    start(machine, rule_for(0.1, 0.05, 4, GetParam()), 3);
    std::mt19937_64 random(11);
    std::vector<std::uint64_t> finds;
    for (int i = 0; i < 300'000; ++i) {
        const std::uint64_t draw = random() % 100;
        const std::uint64_t key = draw < 40 ? 1 : draw < 70 ? 2 : draw < 90 ? 3 : 1000 + random() % 100'000;
        const Verdict verdict = step(machine, key);
        ASSERT_NE(verdict.turn, Turn::kQuiet);
        if (verdict.turn == Turn::kFound) {
            finds.push_back(found_key(machine, verdict.slot));
        }
    }
    std::sort(finds.begin(), finds.end());
    EXPECT_EQ(finds, (std::vector<std::uint64_t>{1, 2, 3}));
    for (std::uint32_t i = 0; i < kMaxFound; ++i) {
        if (const std::uint64_t key = found_key(machine, i); key != 0) {
            const double share = static_cast<double>(found_matches(machine, i)) /
                                 static_cast<double>(events_since(machine, machine.found[i]));
            EXPECT_NEAR(share, key == 1 ? 0.4 : key == 2 ? 0.3 : 0.2, 0.01);
        }
    }
}

// A program with phases: each phase's offender is found, goes quiet, and is found again when its phase returns.
TEST_P(Forms, FindsDecayAndComeBack) {
    Machine machine;
    start(machine, rule_for(0.2, 0.1, 2, GetParam()), 5);
    std::mt19937_64 random(13);
    std::vector<std::pair<Turn, std::uint64_t>> story;
    for (int phase = 0; phase < 4; ++phase) {
        for (int i = 0; i < 20'000; ++i) {
            const std::uint64_t key = random() % 2 == 0 ? (phase % 2 == 0 ? 1U : 2U) : 1000 + random() % 100'000;
            const Verdict verdict = step(machine, key);
            if (verdict.turn != Turn::kNothing) {
                story.emplace_back(verdict.turn, found_key(machine, verdict.slot));
            }
            if (verdict.turn == Turn::kQuiet) {
                release(machine, verdict.slot);
            }
        }
    }
    // Within a phase the order of "old one quiet" and "new one found" is chance.
    std::vector<std::uint64_t> found;
    std::vector<std::uint64_t> quiet;
    for (const auto& [turn, key] : story) {
        (turn == Turn::kFound ? found : quiet).push_back(key);
    }
    EXPECT_EQ(found, (std::vector<std::uint64_t>{1, 2, 1, 2}));
    EXPECT_EQ(quiet, (std::vector<std::uint64_t>{1, 2, 1}));
}

TEST(Machine, ASourceThatKeepsItsShareIsNeverQuiet) {
    Machine machine;
    start(machine, rule_for(0.05, 0.02, 4), 9);
    OneHeavy events(0.05, 0, 17);
    int finds = 0;
    for (int i = 0; i < 3'000'000; ++i) {
        const Verdict verdict = step(machine, events.next());
        ASSERT_NE(verdict.turn, Turn::kQuiet) << i;
        finds += verdict.turn == Turn::kFound ? 1 : 0;
    }
    EXPECT_EQ(finds, 1);
}

// Two sources whose keys the first hash throws together: neither keeps the other from being found.
TEST_P(Forms, SourcesThatShareAPlaceAreBothFound) {
    Machine machine;
    start(machine, rule_for(0.2, 0.1, 2, GetParam()), 1);
    const std::uint64_t first_factor = machine.factor;
    std::uint64_t twin = 2;
    while (place_of(twin, machine.factor) != place_of(1, machine.factor)) {
        ++twin;
    }
    std::mt19937_64 random(21);
    std::set<std::uint64_t> finds;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t draw = random() % 10;
        const Verdict verdict = step(machine, draw < 4 ? 1 : draw < 8 ? twin : 1000 + random() % 100'000);
        if (verdict.turn == Turn::kFound) {
            finds.insert(found_key(machine, verdict.slot));
        }
    }
    EXPECT_EQ(finds, (std::set<std::uint64_t>{1, twin}));
    EXPECT_NE(machine.factor, first_factor);
}

// What a reader beside the machine sees of its clock goes up by one event at a time.
TEST(Machine, TheClockIsWholeBetweenAndAtUpkeeps) {
    Machine machine;
    start(machine, rule_for(0.05, 0.02, 4), 1);
    std::mt19937_64 random(5);
    for (std::uint64_t i = 1; i <= 100'000; ++i) {
        const Verdict verdict = step(machine, 1 + random() % 30);
        ASSERT_EQ(events_seen(machine), i);
        if (verdict.turn == Turn::kQuiet) {
            release(machine, verdict.slot);
        }
    }
}

// The low 32 bits of the clock wrap many times here.
TEST(Machine, LivesThroughWrappingClocks) {
    Rule rule = rule_for(0.3, 0.1, 2);
    Machine machine;
    start(machine, rule, 1);
    machine.base = 0xFFFF'0000U;
    machine.countdown = {0, 0xFFFF'0000U};
    for (Cell& cell : machine.cells) {
        cell.death = 0xFFFF'0000U;
    }
    int finds = 0;
    for (std::uint64_t i = 0; i < 20'000'000; ++i) {
        // Only one source: once it is found every cell waits for another, for ever.
        const Verdict verdict = step(machine, 42);
        finds += verdict.turn == Turn::kFound ? 1 : 0;
        ASSERT_NE(verdict.turn, Turn::kQuiet);
    }
    EXPECT_GT(clock_of(machine), std::uint64_t{3} << 32U);
    EXPECT_EQ(finds, 1);
    EXPECT_EQ(machine.captures, 1U);
}

TEST(Machine, ZeroIsNoKey) {
    Machine machine;
    start(machine, rule_for(0.3, 0.1, 4), 1);
    for (int i = 0; i < 100'000; ++i) {
        EXPECT_EQ(step(machine, 0).turn, Turn::kNothing);
    }
    EXPECT_EQ(machine.captures, 0U);
    EXPECT_EQ(events_seen(machine), 100'000U);
}

// More sources than places: those without one are counted and nothing else suffers.
TEST(Machine, AFullTableOfFindsIsTold) {
    Rule rule;
    rule.unit = 16;
    rule.cells = 8;
    rule.gain = 200 * 16;
    rule.gap = 4;
    rule.hold = 100'000 * 16;
    rule.hold_gain = 200 * 16;
    rule.epochs = 1;
    rule.epoch[0] = {100 * 16, 500 * 16};
    ASSERT_TRUE(valid(rule));
    Machine machine;
    start(machine, rule, 1);
    std::mt19937_64 random(3);
    for (int i = 0; i < 200'000; ++i) {
        step(machine, 1 + random() % 40);
    }
    EXPECT_EQ(machine.finds, kMaxFound);
    EXPECT_GT(machine.overfull, 0U);
}

// A loop visits its sources in a fixed order: without random gaps a capture could meet the same one for ever.
TEST(Machine, RandomGapsBreakStepWithALoop) {
    Machine machine;
    Rule rule = rule_for(0.3, 0.1, 1);
    start(machine, rule, 1);
    // 64 events a round: 32 of the heavy source, in a row, and 32 others.
    std::vector<std::uint64_t> finds;
    for (std::uint64_t i = 0; i < 400'000; ++i) {
        const std::uint64_t place = i % 64;
        const Verdict verdict = step(machine, place < 32 ? 1 : place);
        if (verdict.turn == Turn::kFound) {
            finds.push_back(found_key(machine, verdict.slot));
        }
    }
    EXPECT_EQ(finds, (std::vector<std::uint64_t>{1}));
}

TEST(Machine, ThePeriodIsRandomButRightInTheMean) {
    Rule rule = rule_for(0.3, 0.1, 1);
    rule.period = 7;
    Machine machine;
    start(machine, rule, 1);
    std::set<std::uint32_t> distances;
    std::uint64_t last = 0;
    constexpr std::uint64_t kEvents = 700'000;
    for (std::uint64_t i = 0; i < kEvents; ++i) {
        const std::uint64_t before = clock_of(machine);
        step(machine, 1 + i % 100);
        if (clock_of(machine) != before && i != 0) {
            distances.insert(static_cast<std::uint32_t>(i - last));
            last = i;
        }
    }
    EXPECT_NEAR(static_cast<double>(events_seen(machine)), kEvents / 7.0, kEvents / 7.0 * 0.02);
    EXPECT_EQ(distances.size(), 13U) << "1 to 13 events apart";
}

TEST(Rule, BadOnesAreNotValid) {
    const Rule good = rule_for(0.05, 0.02, 4);
    const auto bad = [&](auto change) {
        Rule rule = good;
        change(rule);
        return !valid(rule);
    };
    EXPECT_TRUE(valid(good));
    EXPECT_TRUE(bad([](Rule& r) { r.cells = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.cells = kMaxCells + 1; }));
    EXPECT_TRUE(bad([](Rule& r) { r.unit = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.gain = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.gap = kMostTicks; }));
    EXPECT_TRUE(bad([](Rule& r) { r.period = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.hold = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.epochs = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.epochs = kMaxEpochs + 1; }));
    EXPECT_TRUE(bad([](Rule& r) { r.epoch[3].start = 0; }));
    EXPECT_TRUE(bad([](Rule& r) { r.epoch[3].bound = r.epoch[3].start; }));
    EXPECT_TRUE(bad([](Rule& r) {
        r.form = Form::kPair;
        r.epoch[3].bound = kMostMatches;
    }));
}

}  // namespace
}  // namespace kymo::pairs
