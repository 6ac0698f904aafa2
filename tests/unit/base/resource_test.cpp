#include "base/resource.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo {
namespace {

TEST(MetricAddress, IsReadAsItIsWritten) {
    for (const char* text : {"task/task/4711/user", "task/process/99/lock-wait", "task/host/0/user",
                             "task/system/0/send in foo", "processor/processor/3/busy", "processor/host/1/steal",
                             "processor/system/0/run-delay", "channel/channel/0/messages", "channel/process/5/bytes",
                             "channel/system/0/a/b", "task/task/18446744073709551615/x"}) {
        const auto address = parse_address(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(to_text(*address), text);
    }
    for (const char* text : {"processor/host/1/processor/0/busy", "channel/host/2/process/77/channel/3/bytes",
                             "task/process/77/task/78/user", "task/host/1/process/9/wait"}) {
        const auto address = parse_address(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(to_text(*address), text);
    }
    const auto one = parse_address("channel/host/2/process/77/channel/3/bytes");
    EXPECT_EQ(*one, (MetricAddress{Resource::kChannel, ResourceLevel::kObject, 3, "bytes", 2, 77}));
    // What looks like a level above, or below none, is the metric's name.
    EXPECT_EQ(parse_address("task/process/7/host/1/x")->metric, "host/1/x");
    EXPECT_EQ(parse_address("task/system/0/task/1/x")->metric, "task/1/x");
    EXPECT_EQ(parse_address("task/host/1/task/2/")->metric, "task/2/");
    const auto address = parse_address("channel/host/7/bytes");
    EXPECT_EQ(*address, (MetricAddress{Resource::kChannel, ResourceLevel::kHost, 7, "bytes"}));
}

TEST(MetricAddress, WhatIsNoneIsRefused) {
    for (const char* text :
         {"", "/", "task", "task/host/0", "task/host/0/", "task/host//user", "task/host/-1/user", "task/host/1x/user",
          "task/processor/1/user", "processor/process/1/busy", "thread/host/0/user", "task/system/1/user",
          "task/host/18446744073709551616/user", "processor/task/1/busy", "Task/host/0/user"}) {
        EXPECT_FALSE(parse_address(text)) << text;
    }
}

// Two hosts, three processes, five threads, one of which nothing is known.
TEST(Aggregate, EachLevelAddsUpTheOneBelow) {
    const std::vector<Observed> threads = {
        {11, 1, 0, 10}, {12, 1, 0, 30}, {21, 2, 0, 5}, {31, 3, 1, 100}, {32, 3, 1, std::nullopt}};
    const auto of = [&](ResourceLevel level, std::uint64_t number) { return aggregate(threads, level, number); };
    EXPECT_EQ(of(ResourceLevel::kObject, 12).sum, 30U);
    EXPECT_EQ(of(ResourceLevel::kObject, 12).objects, 1U);
    const Aggregate process = of(ResourceLevel::kProcess, 1);
    EXPECT_EQ(process.sum, 40U);
    EXPECT_DOUBLE_EQ(process.mean, 20);
    EXPECT_EQ(process.minimum, 10U);
    EXPECT_EQ(process.maximum, 30U);
    EXPECT_DOUBLE_EQ(process.coverage(), 1);
    EXPECT_EQ(of(ResourceLevel::kHost, 0).sum, 45U);
    const Aggregate other = of(ResourceLevel::kHost, 1);
    EXPECT_EQ(other.sum, 100U);
    EXPECT_EQ(other.minimum, 100U);
    EXPECT_DOUBLE_EQ(other.mean, 100);
    EXPECT_DOUBLE_EQ(other.coverage(), 0.5);
    const Aggregate all = of(ResourceLevel::kSystem, 0);
    EXPECT_EQ(all.sum, of(ResourceLevel::kHost, 0).sum + other.sum);
    EXPECT_EQ(all.objects, 5U);
    EXPECT_EQ(all.minimum, 5U);
    EXPECT_DOUBLE_EQ(all.coverage(), 0.8);
}

TEST(Aggregate, GaugesBelowZeroHaveWrappedRound) {
    const Observed gauges[] = {{1, 1, 0, ~std::uint64_t{0} - 2}, {2, 1, 0, 7}};
    const Aggregate all = aggregate(gauges, ResourceLevel::kSystem, 0, true);
    EXPECT_EQ(static_cast<std::int64_t>(all.minimum), -3);
    EXPECT_EQ(all.maximum, 7U);
    EXPECT_EQ(all.sum, 4U);
    EXPECT_DOUBLE_EQ(all.mean, 2);
}

TEST(Aggregate, OfNothingAndOfMuch) {
    const Aggregate none = aggregate({}, ResourceLevel::kSystem, 0);
    EXPECT_EQ(none.objects, 0U);
    EXPECT_DOUBLE_EQ(none.coverage(), 0);
    const std::vector<Observed> large = {{1, 1, 0, UINT64_MAX}, {2, 1, 0, 3}};
    EXPECT_EQ(aggregate(large, ResourceLevel::kSystem, 0).sum, 2U);  // modulo 2^64
    EXPECT_DOUBLE_EQ(aggregate(large, ResourceLevel::kSystem, 0).mean, 9223372036854775809.0);
}

}  // namespace
}  // namespace kymo
