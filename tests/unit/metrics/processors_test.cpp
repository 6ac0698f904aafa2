#include "metrics/processors.h"

#include <gtest/gtest.h>

namespace kymo::metrics {
namespace {

using cells::index;
using cells::ProcessorCell;

constexpr const char* kStat =
    "cpu  30 0 60 900 6 2 4 8 0 0\n"
    "cpu0 10 1 20 300 3 1 2 4 0 0\n"
    "cpu12 20 0 40 600 3 1 2 4 0 0\n"
    "intr 12345 0 1\nctxt 77\nbtime 1\n";
constexpr const char* kSchedstat =
    "version 15\ntimestamp 4295\n"
    "cpu0 0 0 100 50 30 20 7000000 900 42\ndomain0 3 1 2 3\n"
    "cpu12 0 0 0 0 0 0 1 2 3\ncpu99 0 0 0 0 0 0 1 2 3\n";

TEST(Processors, AreReadFromTheKernelsFiles) {
    const auto all = parse_processors(kStat, kSchedstat, 100);
    ASSERT_EQ(all.size(), 2U);
    const ProcessorTimes& first = all.at(0);
    constexpr std::uint64_t kTick = 10'000'000;
    EXPECT_EQ(first[index(ProcessorCell::kUser)], 10 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kNice)], 1 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kSystem)], 20 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kIdle)], 300 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kIoWait)], 3 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kInterrupts)], 3 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kSteal)], 4 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kBusy)], 34 * kTick);
    EXPECT_EQ(first[index(ProcessorCell::kRunDelay)], 900U);
    EXPECT_EQ(first[index(ProcessorCell::kSwitches)], 42U);
    EXPECT_EQ(all.at(12)[index(ProcessorCell::kRunDelay)], 2U);
}

TEST(Processors, WhatIsNotUnderstoodIsPassedOver) {
    EXPECT_TRUE(parse_processors("", "", 100).empty());
    EXPECT_TRUE(parse_processors("cpu0 1 2 3\n", "", 100).empty());
    EXPECT_TRUE(parse_processors("cpu99999 1 2 3 4 5 6 7 8\n", "", 100).empty());
    EXPECT_TRUE(parse_processors("cpux 1 2 3 4 5 6 7 8\ncpu", "cpu", 100).empty());
    EXPECT_EQ(parse_processors("cpu3 1 2 3 4 5 6 7 8", "cpu3 x", 100).size(), 1U);
    EXPECT_EQ(parse_processors("cpu3 1 2 3 4 5 6 7 99999999999999999999999\ncpu4 1 1 1 1 1 1 1 1\n", "", 0).size(),
              1U);
}

}  // namespace
}  // namespace kymo::metrics
