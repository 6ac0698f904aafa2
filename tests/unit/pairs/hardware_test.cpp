// The register model on its own, and the software pair held against it event by event.
#include "pairs/hardware.h"

#include "pairs/machine.h"
#include "streams.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace kymo::pairs {
namespace {

using Pair8 = HardwarePair<std::uint8_t>;

void clock_all(Pair8& pair, std::initializer_list<int> addresses) {
    for (const int address : addresses) {
        pair.clock(static_cast<std::uint64_t>(address));
    }
}

TEST(HardwarePair, CountsFromTheSubsequentEventOn) {
    Pair8 pair(10, 3);
    clock_all(pair, {7});
    EXPECT_TRUE(pair.armed());
    EXPECT_EQ(pair.compare(), 7U);
    EXPECT_EQ(pair.events(), 0U);
    EXPECT_EQ(pair.matches(), 0U);
    clock_all(pair, {7, 8, 7});
    EXPECT_EQ(pair.events(), 3U);
    EXPECT_EQ(pair.matches(), 2U);
    EXPECT_FALSE(pair.interrupt());
    clock_all(pair, {7});
    EXPECT_TRUE(pair.interrupt());
    clock_all(pair, {9});
    EXPECT_EQ(pair.compare(), 7U) << "the line stays up and the source stays readable";
    pair.acknowledge();
    EXPECT_FALSE(pair.interrupt());
    EXPECT_FALSE(pair.armed());
}

TEST(HardwarePair, BothTerminalsAtOnceInterrupt) {
    Pair8 pair(4, 2);
    clock_all(pair, {7, 7, 8, 8, 7});
    EXPECT_TRUE(pair.both_overflowed());
    EXPECT_TRUE(pair.interrupt());
}

TEST(HardwarePair, AllAloneCapturesAnother) {
    Pair8 pair(4, 2);
    clock_all(pair, {7, 7, 8, 8, 8});
    EXPECT_FALSE(pair.interrupt());
    EXPECT_FALSE(pair.armed());
    clock_all(pair, {9});
    EXPECT_EQ(pair.compare(), 9U);
}

// A terminal of 2^bits is an initial value of 0.
TEST(HardwarePair, UsesTheWholeCounter) {
    Pair8 pair(0, 0);
    pair.clock(1);
    for (int i = 0; i < 255; ++i) {
        pair.clock(1);
        ASSERT_FALSE(pair.interrupt()) << i;
    }
    pair.clock(1);
    EXPECT_TRUE(pair.interrupt());
}

TEST(SoftwarePair, IsTheHardwareEventByEvent) {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        const std::uint32_t all = 5 + seed % 40;
        const std::uint32_t matching = 1 + seed % 7;
        Rule rule;
        rule.form = Form::kPair;
        rule.unit = 1U << (seed % 4);
        rule.hold = kMostTicks - 1;
        rule.hold_gain = 1;
        rule.epochs = 1;
        rule.epoch[0] = {all * rule.unit, matching};
        ASSERT_TRUE(valid(rule));
        Machine machine;
        start(machine, rule, 1);
        HardwarePair<std::uint16_t> hardware(static_cast<std::uint16_t>(all), static_cast<std::uint16_t>(matching));
        OneHeavy events(0.1 + 0.002 * seed, 5, seed);
        for (int i = 0; i < 5'000; ++i) {
            const std::uint64_t key = events.next();
            const Verdict verdict = step(machine, key);
            hardware.clock(key);
            ASSERT_EQ(verdict.turn == Turn::kFound, hardware.interrupt()) << "seed " << seed << ", event " << i;
            if (verdict.turn == Turn::kFound) {
                EXPECT_EQ(found_key(machine, verdict.slot), hardware.compare());
                EXPECT_EQ(machine.found[verdict.slot].test_events, hardware.events());
                EXPECT_EQ(machine.found[verdict.slot].test_matches, hardware.matches());
                break;  // the machine would not capture this source again; the circuit would
            }
            ASSERT_EQ(tested_key(machine, 0), hardware.armed() ? hardware.compare() : 0);
        }
    }
}

}  // namespace
}  // namespace kymo::pairs
