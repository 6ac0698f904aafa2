// Quantiles of what was counted in buckets, which functions are chosen, and which nodes are told exactly.
#include "spacetime/exact/exact_calls.h"

#include "spacetime/exact/chosen_functions.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

ExactFunction function_of(std::vector<std::uint64_t> durations) {
    ExactFunction function;
    std::sort(durations.begin(), durations.end(), std::greater<>());
    for (const std::uint64_t duration : durations) {
        ++function.calls;
        ++function.counts[duration_bucket(duration)];
        function.sum += duration;
        if (function.slowest.size() < kSlowestKept) {
            SlowOccurrence slow;
            slow.duration = duration;
            function.slowest.push_back(slow);
        }
    }
    return function;
}

SpaceNode node_at(SpaceKind kind, std::uint64_t begin, std::uint64_t end, NodeIndex parent = {}) {
    SpaceNode node;
    node.kind = kind;
    node.parent = parent;
    node.place.function = "f";
    node.place.build_id = "id";
    node.place.ranges = {{begin, end}};
    return node;
}

TEST(ExactFunction, QuantilesOfAFewAreExact) {
    const ExactFunction function = function_of({10, 20, 30, 40, 1000});
    EXPECT_EQ(function.quantile(0.5), 30U);
    EXPECT_EQ(function.quantile(0.99), 1000U);
    EXPECT_EQ(function.longest(), 1000U);
    EXPECT_EQ(function_of({}).quantile(0.5), 0U);
}

TEST(ExactFunction, QuantilesOfManyAreRightToAQuarter) {
    std::vector<std::uint64_t> durations;
    for (std::uint64_t i = 1; i <= 10'000; ++i) {
        durations.push_back(i * 100);
    }
    const ExactFunction function = function_of(durations);
    for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99}) {
        EXPECT_NEAR(static_cast<double>(function.quantile(share)), share * 1e6, 0.25 * share * 1e6) << share;
    }
    EXPECT_EQ(function.quantile(1), 1'000'000U);
}

TEST(ExactFunction, CallsWithoutADurationAreInNoQuantile) {
    ExactFunction function = function_of({10, 20, 30});
    function.calls += 6;
    function.running = 1;
    function.cut = 2;
    function.untimed = 3;
    EXPECT_EQ(function.timed(), 3U);
    EXPECT_EQ(function.quantile(0.5), 20U);
}

// What was counted before it began is taken for time on a processor.
TEST(SlowOccurrence, ItsShareOfAProcessor) {
    SlowOccurrence slow;
    slow.duration = 1000;
    EXPECT_LT(slow.processor_share(), 0);
    slow.is_counted = true;
    slow.early = 100;
    slow.processor = 600;
    EXPECT_DOUBLE_EQ(slow.processor_share(), 0.5);
    slow.processor = 50;
    EXPECT_DOUBLE_EQ(slow.processor_share(), 0);
    slow.processor = 5000;
    EXPECT_DOUBLE_EQ(slow.processor_share(), 1);
}

TEST(ChosenFunctions, AreThoseAroundWhatWasKeptMostTimeFirst) {
    Evidence evidence;
    evidence.nodes.push_back(node_at(SpaceKind::kFunction, 0, 100));
    evidence.nodes.back().total.user = 10;
    evidence.nodes.push_back(node_at(SpaceKind::kFunction, 200, 300, NodeIndex{0}));
    evidence.nodes.back().total.user = 90;
    evidence.nodes.push_back(node_at(SpaceKind::kLoop, 220, 240, NodeIndex{1}));
    evidence.nodes.push_back(node_at(SpaceKind::kFunction, 400, 500, NodeIndex{0}));
    evidence.nodes.back().place.build_id.clear();
    const auto chosen = chosen_functions(evidence, 64);
    ASSERT_EQ(chosen.size(), 2U);
    EXPECT_EQ(chosen[0].place.ranges.front().begin, 200U);
    EXPECT_EQ(chosen[1].place.ranges.front().begin, 0U);
    EXPECT_EQ(chosen_functions(evidence, 1).size(), 1U);
    EXPECT_EQ(function_around(evidence, NodeIndex{2}), NodeIndex{1});
}

TEST(ExactCalls, TellTheNodeOfAFunctionWithOneCallPath) {
    ExactCalls exact;
    ExactFunction function = function_of({10, 20});
    function.build_id = "id";
    function.offset = 200;
    exact.functions.push_back(function);
    Evidence evidence;
    evidence.nodes.push_back(node_at(SpaceKind::kFunction, 0, 100));
    evidence.nodes.push_back(node_at(SpaceKind::kFunction, 200, 300));
    set_exact_calls(exact, &evidence);
    EXPECT_FALSE(evidence.nodes[0].exact_calls);
    EXPECT_EQ(evidence.nodes[1].exact_calls, 2U);
    // Of two call paths nobody knows which one called how often.
    evidence.nodes.push_back(node_at(SpaceKind::kFunction, 200, 300));
    evidence.nodes[1].exact_calls.reset();
    set_exact_calls(exact, &evidence);
    EXPECT_FALSE(evidence.nodes[1].exact_calls);
    EXPECT_FALSE(evidence.nodes[2].exact_calls);
}

}  // namespace
}  // namespace kymo::spacetime
