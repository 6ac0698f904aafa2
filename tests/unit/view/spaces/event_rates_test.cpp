#include "view/spaces/event_rates.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;

// A run of 300 ms; the piece of code looked at has 100 of them.
Evidence counted(std::vector<std::string> counters, std::vector<std::int64_t> deltas) {
    Evidence evidence;
    evidence.run.counters = std::move(counters);
    evidence.run.deltas = std::move(deltas);
    evidence.run.total.user = 300'000'000;
    return evidence;
}

constexpr TimeTerms kHere{.user = 100'000'000};

TEST(EventRates, AreByInstructionsWhereTheseAreCounted) {
    const Evidence evidence = counted({"task-clock", "cycles", "instructions", "cache-misses", "page-faults"},
                                      {300'000'000, 900'000, 600'000, 9'000, 0});
    const EventRates rates(evidence);
    const std::vector<std::int64_t> here = {100'000'000, 300'000, 100'000, 5'000, 0};
    EXPECT_EQ(rates.unit(), "per 1,000 instructions");
    ASSERT_EQ(rates.events().size(), 1U) << "work and time are no events to rate, and what never happened is none";
    const CounterIndex misses = rates.events()[0];
    EXPECT_EQ(raw(misses), 3U);
    EXPECT_DOUBLE_EQ(*rates.per_cycle(here), 1.0 / 3);
    EXPECT_DOUBLE_EQ(*rates.rate(misses, kHere, here), 50);
    EXPECT_DOUBLE_EQ(*rates.rate_elsewhere(misses, kHere, here), 8);
}

TEST(EventRates, OfMissesAreThoseThatHardwareCounts) {
    const Evidence evidence = counted({"cycles", "instructions", "cache-misses", "dTLB-load-misses", "page-faults",
                                       "stalled-cycles-backend", "branch-misses"},
                                      {8'000, 4'000, 40, 8, 3, 500, 0});
    const EventRates rates(evidence);
    const std::vector<CounterIndex> misses = rates.misses();
    ASSERT_EQ(misses.size(), 2U) << "no faults, no stalls, and none that never happened";
    const std::vector<std::int64_t> here = {2'000, 500, 10, 0, 0, 100, 0};
    EXPECT_DOUBLE_EQ(*rates.per_cycle(here), 0.25);
    EXPECT_DOUBLE_EQ(*rates.per_thousand_instructions(misses[0], here), 20);
    EXPECT_DOUBLE_EQ(*rates.per_thousand_instructions(misses[1], here), 0);
    const std::vector<std::int64_t> nothing = {2'000, 0, 10, 0, 0, 0, 0};
    EXPECT_FALSE(rates.per_cycle(nothing));
    EXPECT_FALSE(rates.per_thousand_instructions(misses[0], nothing));
    EXPECT_TRUE(EventRates(counted({"cycles", "cache-misses"}, {100, 5})).misses().empty());
}

TEST(EventRates, AreByProcessorTimeOtherwise) {
    const Evidence evidence = counted({"page-faults", "retries"}, {900, 30});
    const EventRates rates(evidence);
    const std::vector<std::int64_t> here = {500, 30};
    EXPECT_EQ(rates.unit(), "per ms of processor time");
    EXPECT_EQ(rates.events().size(), 2U);
    EXPECT_FALSE(rates.per_cycle(here));
    EXPECT_DOUBLE_EQ(*rates.rate(rates.events()[0], kHere, here), 5);
    EXPECT_DOUBLE_EQ(*rates.rate_elsewhere(rates.events()[0], kHere, here), 2);
    EXPECT_DOUBLE_EQ(*rates.rate_elsewhere(rates.events()[1], kHere, here), 0);
}

TEST(EventRates, AreNotKnownOfCodeThatHasNothing) {
    const Evidence evidence = counted({"page-faults"}, {900});
    const EventRates rates(evidence);
    EXPECT_FALSE(rates.rate(rates.events()[0], {}, std::vector<std::int64_t>{0}));
}

}  // namespace
}  // namespace kymo::view
