#include "events/sw_64/counters.h"

#include "events/attributes.h"
#include "events/generic.h"
#include "events/sw_64/selectors.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::events::sw_64 {
namespace {

constexpr std::uint8_t kCycles = 0x30;
constexpr std::uint8_t kInstructions = 0x03;

perf_event_attr attributes_of(const char* name) {
    const auto event = generic_event(name);
    EXPECT_TRUE(event) << name;
    perf_event_attr attr = make_attributes(event.value_or(SessionEvent{}), false);
    attr.exclude_hv = 0;
    return attr;
}

perf_event_attr sampled(const char* name, std::uint64_t period) {
    perf_event_attr attr = attributes_of(name);
    attr.sample_period = period;
    return attr;
}

struct Machine {
    RegisterFile registers;
    Counters counters{registers};
    std::vector<Overflow> overflows;

    void run(std::uint8_t selector, std::uint64_t events, std::uint64_t now_ns = 0) {
        counters.run(selector, Mode::kUser, events, now_ns,
                     [&](const Overflow& overflow) { overflows.push_back(overflow); });
    }
};

TEST(Sw64Selectors, AreOfTheKernelsEventsAndOfRawOnes) {
    const auto selector = [](const char* name) {
        const auto event = generic_event(name);
        const auto found = select(event->type, event->config);
        return found ? static_cast<int>(found->selector) : -1;
    };
    EXPECT_EQ(selector("cycles"), 0x30);
    EXPECT_EQ(selector("instructions"), 0x03);
    EXPECT_EQ(selector("branch-instructions"), 0x04);
    EXPECT_EQ(selector("branch-misses"), 0x05);
    EXPECT_EQ(selector("cache-references"), 0x50);
    EXPECT_EQ(selector("cache-misses"), 0x53);
    EXPECT_EQ(selector("L1-dcache-load-misses"), 0x3e);
    EXPECT_EQ(selector("L1-dcache-stores"), 0x3d);
    EXPECT_EQ(selector("L1-icache-loads"), 0x06);
    EXPECT_EQ(selector("dTLB-load-misses"), 0x32);
    EXPECT_EQ(selector("LLC-load-misses"), -1);
    EXPECT_EQ(selector("stalled-cycles-backend"), -1);
    EXPECT_EQ(selector("task-clock"), -1);
    const auto raw = select(PERF_TYPE_RAW, 0x48d);
    ASSERT_TRUE(raw);
    EXPECT_EQ(raw->selector, 0x8d);
    EXPECT_EQ(raw->set, 4U);
    EXPECT_FALSE(select(PERF_TYPE_RAW, 0x48e));  // above the last selector
    EXPECT_FALSE(select(PERF_TYPE_RAW, 0x500));  // a sixth set
}

TEST(Sw64Counters, SampleByPeriodAndStartAgain) {
    Machine machine;
    ASSERT_EQ(machine.counters.open(sampled("cycles", 1000), 0), 0);
    EXPECT_EQ(machine.registers.value(0), 0xffff'ffff'ffff'fc18U);  // 2⁶⁴ − 1000
    EXPECT_EQ(machine.registers.control(0), 0x10330U);              // cycles, user and kernel, counting
    EXPECT_EQ(machine.registers.int_en(), 1U);
    machine.run(kCycles, 999);
    EXPECT_TRUE(machine.overflows.empty());
    machine.run(kCycles, 1, 77);
    ASSERT_EQ(machine.overflows.size(), 1U);
    EXPECT_EQ(machine.overflows[0].set, 0U);
    EXPECT_EQ(machine.overflows[0].time_ns, 77U);
    EXPECT_EQ(machine.overflows[0].period, 1000U);
    EXPECT_EQ(machine.overflows[0].missed, 0U);
    EXPECT_EQ(machine.registers.value(0), 0xffff'ffff'ffff'fc18U);
    EXPECT_EQ(machine.registers.int_stat(), 0U);
    machine.run(kCycles, 2500);
    EXPECT_EQ(machine.overflows.size(), 3U);
    EXPECT_EQ(machine.registers.value(0), 0xffff'ffff'ffff'fe0cU);  // 500 of the fourth period
    EXPECT_EQ(machine.counters.total(0), 3500U);
    machine.run(kInstructions, 10'000);
    EXPECT_EQ(machine.counters.total(0), 3500U);
}

TEST(Sw64Counters, OfFiveSetsAreIndependentAndASixthIsRefused) {
    Machine machine;
    EXPECT_EQ(machine.counters.open(sampled("cycles", 100), 0), 0);
    EXPECT_EQ(machine.counters.open(sampled("instructions", 30), 0), 1);
    EXPECT_EQ(machine.counters.open(sampled("instructions", 50), 0), 2);
    EXPECT_EQ(machine.counters.open(attributes_of("cache-misses"), 0), 3);
    EXPECT_EQ(machine.counters.open(attributes_of("branch-misses"), 0), 4);
    EXPECT_EQ(machine.counters.open(attributes_of("cache-references"), 0), -ENOSPC);
    EXPECT_EQ(machine.registers.int_en(), 0b00111U);  // what is only counted does not interrupt
    machine.run(kInstructions, 150);                  // at 30, 50, 60, 90, 100, 120 and, both, 150
    std::vector<unsigned> sets;
    for (const Overflow& overflow : machine.overflows) {
        sets.push_back(overflow.set);
    }
    EXPECT_EQ(sets, (std::vector<unsigned>{1, 2, 1, 1, 2, 1, 1, 2}));
    machine.run(0x53, 7);
    EXPECT_EQ(machine.counters.total(0), 0U);
    EXPECT_EQ(machine.counters.total(1), 150U);
    EXPECT_EQ(machine.counters.total(2), 150U);
    EXPECT_EQ(machine.counters.total(3), 7U);
    machine.counters.close(1);
    EXPECT_EQ(machine.registers.int_en(), 0b00101U);
    EXPECT_EQ(machine.counters.open(attributes_of("cache-references"), 0), 1);
    EXPECT_EQ(machine.counters.total(1), 0U);
}

TEST(Sw64Counters, OfALateInterruptLoseNoEvent) {
    Machine machine;
    ASSERT_EQ(machine.counters.open(sampled("cycles", 100), 0), 0);
    machine.registers.write_int_en(0);  // as with interrupts held back
    machine.run(kCycles, 130);
    EXPECT_TRUE(machine.overflows.empty());
    EXPECT_EQ(machine.registers.value(0), 30U);
    machine.registers.write_int_en(1);
    machine.run(kCycles, 1);  // taken now: 31 of the next period have gone by
    ASSERT_EQ(machine.overflows.size(), 1U);
    EXPECT_EQ(machine.overflows[0].missed, 0U);
    EXPECT_EQ(machine.registers.value(0), std::uint64_t{0} - 69);
    machine.registers.write_int_en(0);
    machine.run(kCycles, 369);  // one overflow and three periods behind it
    machine.registers.write_int_en(1);
    machine.counters.handle(5, [&](const Overflow& overflow) { machine.overflows.push_back(overflow); });
    ASSERT_EQ(machine.overflows.size(), 2U);
    EXPECT_EQ(machine.overflows[1].missed, 3U);
    EXPECT_EQ(machine.counters.total(0), 500U);
    EXPECT_EQ(machine.registers.value(0), std::uint64_t{0} - 100);
}

TEST(Sw64Counters, SteerThePeriodToAFrequency) {
    EXPECT_EQ(next_period(1000, 500'000, 1000), 2000U);       // twice as often as asked
    EXPECT_EQ(next_period(1000, 2'000'000, 1000), 500U);      // half
    EXPECT_EQ(next_period(1000, 10, 1000), 8000U);            // at most eight times
    EXPECT_EQ(next_period(1000, 0, 1000), 8000U);             //
    EXPECT_EQ(next_period(1000, 1'000'000'000, 1000), 125U);  // at least an eighth
    EXPECT_EQ(next_period(1, 1'000'000'000, 1000), 1U);       //
    EXPECT_EQ(next_period(std::uint64_t{1} << 60U, 1, 1), std::uint64_t{1} << 60U);

    Machine machine;
    perf_event_attr attr = attributes_of("cycles");
    attr.freq = 1;
    attr.sample_freq = 1000;
    ASSERT_EQ(machine.counters.open(attr, 0), 0);
    std::uint64_t now = 0;
    while (machine.overflows.size() < 10) {  // a cycle a nanosecond
        const std::uint64_t step = machine.registers.until_interrupt(kCycles, Mode::kUser);
        now += step;
        machine.run(kCycles, step, now);
    }
    std::vector<std::uint64_t> periods;
    for (const Overflow& overflow : machine.overflows) {
        periods.push_back(overflow.period);
    }
    EXPECT_EQ(periods,
              (std::vector<std::uint64_t>{1, 8, 64, 512, 4096, 32768, 262144, 1'000'000, 1'000'000, 1'000'000}));
    EXPECT_EQ(machine.counters.total(0), now);
}

TEST(Sw64Counters, RefuseWhatTheProcessorDoesNotTellApart) {
    Machine machine;
    perf_event_attr attr = attributes_of("cycles");
    attr.exclude_hv = 1;
    EXPECT_EQ(machine.counters.open(attr, 0), -EINVAL);
    attr.exclude_hv = 0;
    attr.precise_ip = 1;
    EXPECT_EQ(machine.counters.open(attr, 0), -EOPNOTSUPP);
    attr = attributes_of("LLC-load-misses");
    EXPECT_EQ(machine.counters.open(attr, 0), -ENOENT);
    attr = attributes_of("cycles");
    attr.exclude_kernel = 1;
    EXPECT_EQ(machine.counters.open(attr, 0), 0);
    EXPECT_EQ(machine.registers.control(0), 0x10130U);  // user only
    perf_event_attr raw{};
    raw.type = PERF_TYPE_RAW;
    raw.config = 0x033;  // selector 0x33 on set 0, which is taken
    EXPECT_EQ(machine.counters.open(raw, 0), -ENOSPC);
    raw.config = 0x233;
    EXPECT_EQ(machine.counters.open(raw, 0), 2);
}

}  // namespace
}  // namespace kymo::events::sw_64
