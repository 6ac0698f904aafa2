#include "base/native.h"
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
    if (!processor::has_constant_counter()) {
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

// Where memory is said to be there it is read; what a pointer leads to is asked for.
TEST(CellActions, DataIsReadWhereItIs) {
    struct Node {
        std::int16_t level = -3;
        std::uint16_t fields = 0xB5;  // bits 2 to 5: 1101
        Node* next = nullptr;
    };
    Node last;
    last.level = -7;
    Node first;
    first.next = &last;
    static thread_local std::int32_t of_thread = -9;
    const auto own = [](const void* at) { return static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(at)); };
    Load loads[6] = {};
    for (Load& load : loads) {
        load.bytes = 2;
        load.bits = 16;
        load.is_signed = 1;
        load.offsets[0] = own(&first);
    }
    loads[1].shift = 2;
    loads[1].bits = 4;
    loads[1].offsets[0] = own(&first.fields);
    loads[2].links = 1;  // first.next->level
    loads[2].offsets[0] = own(&first.next);
    loads[3].links = 2;  // first.next->next->level: nowhere
    loads[3].offsets[0] = own(&first.next);
    loads[3].offsets[1] = offsetof(Node, next);
    loads[4].base = LoadBase::kThread;
    loads[4].bytes = 4;
    loads[4].bits = 32;
    loads[4].image = 1;
    loads[4].offsets[0] = 0;
    loads[5].base = LoadBase::kArgument;  // argument->next->level
    loads[5].argument = 2;
    loads[5].links = 2;
    loads[5].offsets[1] = offsetof(Node, next);
    for (const Load& load : loads) {
        EXPECT_TRUE(valid(load, 2));
    }
    EXPECT_FALSE(valid(loads[4], 1));
    const auto read = [](std::uint64_t address, std::uint64_t bytes, void* to) {
        if (address < 4096) {
            return false;
        }
        std::memcpy(to, reinterpret_cast<const void*>(address), bytes);
        return true;
    };
    DataImage images[2];
    images[0].is_loaded = images[0].is_permanent = true;
    images[1].thread_offset =
        own(&of_thread) - static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()));
    images[1].has_thread_offset = true;
    const DataSources sources{loads, images, read};
    const std::uint64_t arguments[kMaxArguments] = {0, 0, static_cast<std::uint64_t>(own(&first)), 0, 0, 0};
    const auto value = [&](std::uint64_t number) -> std::int64_t {
        std::uint64_t got = 0;
        return load_data(sources, number, arguments, &got) ? static_cast<std::int64_t>(got) : 1000;
    };
    EXPECT_EQ(value(0), -3);
    EXPECT_EQ(value(1), -3);  // 1101, signed
    EXPECT_EQ(value(2), -7);
    EXPECT_EQ(value(3), 1000);
    EXPECT_EQ(value(4), -9);
    EXPECT_EQ(value(5), -7);
    std::uint64_t none = 0;
    EXPECT_FALSE(load_data(sources, 5, nullptr, &none));
    images[0].is_permanent = false;  // it may go at any time: asked for
    EXPECT_EQ(value(0), -3);
    EXPECT_EQ(value(2), -7);
    images[0].is_loaded = false;
    EXPECT_EQ(value(0), 1000);
    images[1].has_thread_offset = false;
    EXPECT_EQ(value(4), 1000);
    Load load;
    load.bytes = 3;
    EXPECT_FALSE(valid(load, 1));
    load.bytes = 1;
    EXPECT_FALSE(valid(load, 1));  // 64 bits of one byte
    load.bits = 8;
    load.links = kMostLinks + 1;
    EXPECT_FALSE(valid(load, 1));
}

TEST(CellActions, StepsFromAnywhereAreChecked) {
    EXPECT_TRUE(valid(nullptr, 0));
    const auto refused = [](Step step) { return !valid(&step, 1); };
    EXPECT_TRUE(refused(simple(Operation::kSkipIf, 1)));  // past the end
    EXPECT_FALSE(refused(simple(Operation::kSkipIf, 0)));
    EXPECT_TRUE(refused(simple(Operation::kAdd, kTaskCells)));
    EXPECT_TRUE(refused(simple(Operation::kStart, kTaskTimers)));
    EXPECT_TRUE(refused(simple(Operation::kNothing, 0)));
    EXPECT_TRUE(refused(simple(Operation::kLoad, 0)));  // of nothing
    const Step load = simple(Operation::kLoad, 0, 4);
    EXPECT_TRUE(valid(&load, 1, 5));
    EXPECT_FALSE(valid(&load, 1, 4));
    const Step past = simple(Operation::kLoad, 1, 4);
    EXPECT_FALSE(valid(&past, 1, 5));
    Step step = simple(Operation::kAdd, 1);
    step.right = {Source::kArgument, Width::k64, kMaxArguments};
    EXPECT_TRUE(refused(step));
    step.right = {Source::kCell, Width::k64, kTaskCells};
    EXPECT_TRUE(refused(step));
    step.right = {Source::kLoaded, Width::k64, kLoadedValues};
    EXPECT_TRUE(refused(step));
    step.right = {static_cast<Source>(5), Width::k64, 0};
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
