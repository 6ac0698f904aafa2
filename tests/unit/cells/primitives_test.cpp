#include "cells/actions.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::cells {
namespace {

struct OneTask {
    std::uint64_t cells[kTaskCells] = {};
    Timer timers[kTaskTimers] = {};
    std::uint32_t bindings[kTaskTimers] = {};
    TickRate rate;  // nanoseconds of the clock
    Task task{cells, timers, &rate, bindings};
};

void wait_ns(std::uint64_t ns) {
    const std::uint64_t begin = monotonic_now().ns;
    while (monotonic_now().ns - begin < ns) {
    }
}

TEST(CellPrimitives, CountersWrapRound) {
    OneTask one;
    set(one.task, 40, 5);
    add(one.task, 40, UINT64_MAX);
    EXPECT_EQ(one.cells[40], 4U);
    subtract(one.task, 40, 6);
    EXPECT_EQ(one.cells[40], UINT64_MAX - 1);
    add(one.task, 40, 0x1'0000'0000ULL);
    EXPECT_EQ(one.cells[40], 0xFFFF'FFFEULL);
}

TEST(CellPrimitives, AnIndexFromAnywhereStaysInTheTask) {
    OneTask one;
    add(one.task, UINT32_MAX, 1);
    start(one.task, UINT32_MAX);
    stop(one.task, UINT32_MAX);
    bind(one.task, UINT32_MAX, UINT32_MAX);
    EXPECT_EQ(one.cells[kTaskCells - 1], 1U);
}

TEST(CellPrimitives, ATimerRunsFromItsFirstStartToTheMatchingStop) {
    OneTask one;
    bind(one.task, 3, 50);
    const std::uint64_t before = monotonic_now().ns;
    start(one.task, 3);
    start(one.task, 3);
    wait_ns(50'000);
    stop(one.task, 3);
    EXPECT_EQ(one.cells[50], 0U);
    wait_ns(50'000);
    stop(one.task, 3);
    const std::uint64_t all = monotonic_now().ns - before;
    EXPECT_GE(one.cells[50], 100'000U);
    EXPECT_LE(one.cells[50], all);
    const std::uint64_t once = one.cells[50];
    stop(one.task, 3);  // without a start
    EXPECT_EQ(one.cells[50], once);
    EXPECT_EQ(one.timers[3].depth, 0U);
}

TEST(CellPrimitives, ATimerThatTheTaskHasNotBoundTakesTheBindingOfAll) {
    OneTask one;
    one.bindings[2] = 60;
    start(one.task, 2);
    EXPECT_EQ(one.timers[2].cell, 60U);
    wait_ns(1000);
    stop(one.task, 2);
    EXPECT_GE(one.cells[60], 1000U);
}

TEST(CellPrimitives, ACounterThatWentBackAddsNothing) {
    OneTask one;
    bind(one.task, 0, 50);
    start(one.task, 0);
    one.timers[0].since += 1'000'000'000;
    stop(one.task, 0);
    EXPECT_EQ(one.cells[50], 0U);
}

// The counter's rate, held against the clock over a stretch long enough for either to be right to a thousandth.
TEST(Ticks, TheCounterTellsNanoseconds) {
    if (!has_constant_counter()) {
        GTEST_SKIP() << "no constant-rate counter";
    }
    const TickRate rate = measure_ticks(5'000'000);
    ASSERT_EQ(rate.kind, TickKind::kCounter);
    const TickPair first = read_tick_pair();
    wait_ns(20'000'000);
    const TickPair second = read_tick_pair();
    const auto real = static_cast<double>(second.ns - first.ns);
    EXPECT_NEAR(static_cast<double>(rate.to_ns(second.ticks - first.ticks)) / real, 1.0, 1e-3);
}

TEST(Ticks, NoRateFromPairsThatTellNone) {
    TickRate rate;
    EXPECT_FALSE(rate_between({5, 5}, {5, 6}, rate));
    EXPECT_FALSE(rate_between({5, 6}, {6, 6}, rate));
    EXPECT_FALSE(rate_between({0, 0}, {1, UINT64_MAX}, rate));
    EXPECT_FALSE(rate_between({0, 0}, {UINT64_MAX, 1}, rate));
    ASSERT_TRUE(rate_between({0, 0}, {3'000'000'000, 1'000'000'000}, rate));
    EXPECT_NEAR(static_cast<double>(rate.to_ns(3'000'000'000'000)), 1e12, 1000.0);
}

Step simple(Operation operation, std::uint16_t target, std::uint64_t constant = 0) {
    Step step;
    step.operation = operation;
    step.target = target;
    step.constant = constant;
    return step;
}

Step skip_if(Operand left, Comparison comparison, std::uint64_t constant, std::uint16_t steps) {
    Step step = simple(Operation::kSkipIf, steps, constant);
    step.left = left;
    step.comparison = comparison;
    return step;
}

void run_all(const std::vector<Step>& steps, const OneTask& one, const Call& call = {}) {
    ASSERT_TRUE(valid(steps.data(), steps.size()));
    run(steps.data(), steps.data() + steps.size(), one.task, call);
}

TEST(CellActions, APredicateReadsTheTasksOwnCells) {
    OneTask one;
    const std::vector<Step> steps = {skip_if({Source::kCell, Width::k64, 64}, Comparison::kEqual, 0, 1),
                                     simple(Operation::kAdd, 65, 7)};
    run_all(steps, one);
    EXPECT_EQ(one.cells[65], 0U);
    one.cells[64] = 1;
    run_all(steps, one);
    EXPECT_EQ(one.cells[65], 7U);
}

TEST(CellActions, EachPrimitive) {
    OneTask one;
    run_all({simple(Operation::kSet, 70, 10), simple(Operation::kAdd, 70, 5), simple(Operation::kSubtract, 70, 1),
             simple(Operation::kBind, 20, 71), simple(Operation::kStart, 20)},
            one);
    wait_ns(2000);
    run_all({simple(Operation::kStop, 20)}, one);
    EXPECT_EQ(one.cells[70], 14U);
    EXPECT_GE(one.cells[71], 2000U);
}

// An int argument's register holds anything in its upper half.
TEST(CellActions, ArgumentsCountAsFarAsTheirTypeReaches) {
    const std::uint64_t arguments[kMaxArguments] = {
        0xDEAD'BEEF'FFFF'FFFFULL, 0x1234'5678'0000'0003ULL, 0xFF80, 0, 0, 0};
    const Call call{arguments, 0x7777'7777'FFFF'FFFEULL};
    const auto holds = [&](Operand left, Comparison comparison, std::uint64_t right, bool is_signed) {
        OneTask one;
        Step test = skip_if(left, comparison, right, 1);
        test.is_signed = is_signed ? 1 : 0;
        run_all({test, simple(Operation::kSet, 80, 1)}, one, call);
        return one.cells[80] == 0;
    };
    EXPECT_TRUE(holds({Source::kArgument, Width::kS32, 0}, Comparison::kLess, 0, true));  // -1 < 0
    EXPECT_FALSE(holds({Source::kArgument, Width::k32, 0}, Comparison::kLess, 0, false));
    EXPECT_TRUE(holds({Source::kArgument, Width::k32, 1}, Comparison::kEqual, 3, false));
    EXPECT_FALSE(holds({Source::kArgument, Width::k64, 1}, Comparison::kEqual, 3, false));
    EXPECT_TRUE(
        holds({Source::kArgument, Width::kS8, 2}, Comparison::kEqual, static_cast<std::uint64_t>(-128), true));
    EXPECT_TRUE(holds({Source::kArgument, Width::k16, 2}, Comparison::kEqual, 0xFF80, false));
    EXPECT_TRUE(
        holds({Source::kResult, Width::kS32, 0}, Comparison::kLessOrEqual, static_cast<std::uint64_t>(-2), true));
    EXPECT_TRUE(holds({Source::kConstant, Width::k64, 0}, Comparison::kNotEqual, 1, false));
    EXPECT_TRUE(holds({Source::kArgument, Width::k64, 2}, Comparison::kGreaterOrEqual, 0xFF80, false));
    EXPECT_FALSE(holds({Source::kArgument, Width::k64, 2}, Comparison::kGreater, 0xFF80, false));
    OneTask one;  // without arguments (an exit) they are 0
    run_all({skip_if({Source::kArgument, Width::k64, 1}, Comparison::kEqual, 0, 1), simple(Operation::kSet, 80, 1)},
            one);
    EXPECT_EQ(one.cells[80], 0U);
}

TEST(CellActions, StepsFromAnywhereAreChecked) {
    EXPECT_TRUE(valid(nullptr, 0));
    const auto refused = [](Step step) { return !valid(&step, 1); };
    EXPECT_TRUE(refused(simple(Operation::kSkipIf, 1)));  // past the end
    EXPECT_FALSE(refused(simple(Operation::kSkipIf, 0)));
    EXPECT_TRUE(refused(simple(Operation::kAdd, kTaskCells)));
    EXPECT_TRUE(refused(simple(Operation::kStart, kTaskTimers)));
    EXPECT_TRUE(refused(simple(static_cast<Operation>(7), 0)));
    Step step = simple(Operation::kAdd, 1);
    step.right = {Source::kArgument, Width::k64, kMaxArguments};
    EXPECT_TRUE(refused(step));
    step.right = {Source::kCell, Width::k64, kTaskCells};
    EXPECT_TRUE(refused(step));
    step.right = {static_cast<Source>(4), Width::k64, 0};
    EXPECT_TRUE(refused(step));
    step.right = {Source::kResult, static_cast<Width>(8), 0};
    EXPECT_TRUE(refused(step));
    step.right = {};
    step.comparison = static_cast<Comparison>(6);
    EXPECT_TRUE(refused(step));
    const std::vector<Step> many(kMaxSteps + 1);
    EXPECT_FALSE(valid(many.data(), many.size()));
}

}  // namespace
}  // namespace kymo::cells
