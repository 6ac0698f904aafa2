// Rates between two readings, by hand.

#include "host/live_view.h"

#include "readings.h"

#include <gtest/gtest.h>

namespace kymo::host {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the readings

TEST(LiveView, TasksHaveSharesOfTheTimeBetween) {
    const auto then = reading(
        10 * kSecond, {process(1, ResourceKind::kTask,
                               {row(7, RowState::kLive,
                                    {{at(TaskCell::kUser), 5 * kSecond}, {at(TaskCell::kMinorFaults), 100}})})});
    const auto now =
        reading(12 * kSecond, {process(1, ResourceKind::kTask,
                                       {row(7, RowState::kLive,
                                            {{at(TaskCell::kUser), 6 * kSecond},
                                             {at(TaskCell::kSystem), kSecond / 2},
                                             {at(TaskCell::kLockWait), kSecond},
                                             {at(TaskCell::kMinorFaults), 140}}),
                                        // New since: counts from its own beginning.
                                        row(8, RowState::kLive, {{at(TaskCell::kUser), 2 * kSecond}})})});
    const LiveView view = compare(then, now);
    EXPECT_DOUBLE_EQ(view.seconds, 2);
    ASSERT_EQ(view.processes.size(), 1U);
    const LiveProcess& all = view.processes[0];
    EXPECT_DOUBLE_EQ(all.rates.user, 1.5);
    EXPECT_DOUBLE_EQ(all.rates.system, 0.25);
    EXPECT_DOUBLE_EQ(all.rates.faults, 20);
    ASSERT_EQ(all.tasks.size(), 2U);
    EXPECT_EQ(all.tasks[0].tid, 8U) << "the busiest is the first";
    EXPECT_DOUBLE_EQ(all.tasks[1].rates.user, 0.5);
    EXPECT_DOUBLE_EQ(all.tasks[1].rates.lock_wait, 0.5);
}

TEST(LiveView, WithoutAnEarlierReadingThereAreNoRates) {
    const LiveView view = compare(
        {}, reading(10 * kSecond,
                    {process(1, ResourceKind::kTask, {row(7, RowState::kLive, {{at(TaskCell::kUser), kSecond}})})}));
    EXPECT_EQ(view.seconds, 0);
    ASSERT_EQ(view.processes.size(), 1U);
    EXPECT_EQ(view.processes[0].rates.user, 0);
}

TEST(LiveView, ATidThatIsUsedAgainIsAnotherThread) {
    RowValues first = row(7, RowState::kLive, {{at(TaskCell::kUser), 5 * kSecond}});
    RowValues second = row(7, RowState::kLive, {{at(TaskCell::kUser), kSecond}});
    second.begin = 11 * kSecond;
    const LiveView view = compare(reading(10 * kSecond, {process(1, ResourceKind::kTask, {first})}),
                                  reading(12 * kSecond, {process(1, ResourceKind::kTask, {second})}));
    EXPECT_DOUBLE_EQ(view.processes[0].rates.user, 0.5);
}

TEST(LiveView, ACounterWrapsRound) {
    const auto with = [](std::uint64_t value) {
        return process(1, ResourceKind::kTask, {row(7, RowState::kLive, {{kOwn, value}})});
    };
    const LiveView view = compare(reading(kSecond, {with(~std::uint64_t{0} - 4)}), reading(2 * kSecond, {with(5)}));
    ASSERT_EQ(view.metrics.size(), 1U);
    EXPECT_EQ(view.metrics[0].total, 5U);
    EXPECT_DOUBLE_EQ(view.metrics[0].a_second, 10);
}

// An ended thread's row is added to the sum and given to another thread: its count must not be counted again.
TEST(LiveView, MetricsGoOnWhenAnEndedThreadBecomesPartOfTheSum) {
    const auto then =
        reading(kSecond, {process(1, ResourceKind::kTask,
                                  {row(0, RowState::kSum, {{kOwn, 1000}}), row(7, RowState::kEnded, {{kOwn, 400}}),
                                   row(8, RowState::kLive, {{kOwn, 10}})})});
    const auto now =
        reading(2 * kSecond, {process(1, ResourceKind::kTask,
                                      {row(0, RowState::kSum, {{kOwn, 1400}}), row(9, RowState::kLive, {{kOwn, 5}}),
                                       row(8, RowState::kLive, {{kOwn, 30}})})});
    const LiveView view = compare(then, now);
    ASSERT_EQ(view.metrics.size(), 1U);
    EXPECT_EQ(view.metrics[0].total, 1435U);
    EXPECT_DOUBLE_EQ(view.metrics[0].a_second, 25);
    ASSERT_EQ(view.processes[0].tasks.size(), 2U) << "those that live";
}

TEST(LiveView, RunningTimersCountWhileTheyRun) {
    RowValues timed = row(7, RowState::kLive, {{kOwn, 100}});
    timed.running.push_back({0, 1, kOwn, 900});
    timed.running.push_back({1, 1, kOwn + 1, 5000});
    const LiveView view = compare({}, reading(kSecond, {process(1, ResourceKind::kTask, {timed})}));
    EXPECT_EQ(view.metrics[0].total, 1000U);
}

TEST(LiveView, ProcessorsOfSeveralLaunchersAreOne) {
    const auto processor = [](std::uint64_t filled, std::uint64_t user, std::uint64_t idle, std::uint64_t delay) {
        RowValues made = row(3, RowState::kLive,
                             {{at(ProcessorCell::kUser), user},
                              {at(ProcessorCell::kIdle), idle},
                              {at(ProcessorCell::kRunDelay), delay}});
        made.filled = filled;
        return made;
    };
    const auto then =
        reading(10 * kSecond, {process(1, ResourceKind::kProcessor, {processor(9 * kSecond, 0, 0, 0)}),
                               process(2, ResourceKind::kProcessor, {processor(8 * kSecond, 0, 0, 0)})});
    const auto now =
        reading(12 * kSecond,
                {process(1, ResourceKind::kProcessor, {processor(11 * kSecond, 3 * kSecond, kSecond, 5 * kSecond)}),
                 process(2, ResourceKind::kProcessor, {processor(10 * kSecond, kSecond, kSecond, 0)})});
    const LiveView view = compare(then, now);
    ASSERT_EQ(view.processors.size(), 1U);
    EXPECT_DOUBLE_EQ(view.processors[0].user, 0.75) << "the one that was filled last counts";
    EXPECT_DOUBLE_EQ(view.processors[0].idle, 0.25);
    EXPECT_DOUBLE_EQ(view.processors[0].queue, 2.5);
    EXPECT_TRUE(compare(now, now).processors.empty()) << "not filled since";
}

TEST(LiveView, AChannelIsTheSumOfItsThreads) {
    const auto channel = [](std::uint64_t writer, std::uint64_t messages, std::uint64_t outstanding,
                            std::uint64_t largest) {
        RowValues made = row(writer, RowState::kLive,
                             {{at(ChannelCell::kMessages), messages},
                              {at(ChannelCell::kBytes), 100 * messages},
                              {at(ChannelCell::kOutstanding), outstanding},
                              {at(ChannelCell::kLargest), largest}});
        made.key = {5, 2, 1};
        made.name = "MPI_COMM_WORLD";
        return made;
    };
    RowValues to_all = channel(8, 1, 0, 1);
    to_all.key = {5, ~std::uint64_t{0}, 2};
    const LiveView view = compare(
        reading(kSecond, {process(1, ResourceKind::kChannel, {channel(7, 10, 0, 8)})}),
        // One thread begins what another completes: the sum over both is what is in flight.
        reading(3 * kSecond, {process(1, ResourceKind::kChannel,
                                      {channel(7, 14, 3, 8), channel(8, 2, ~std::uint64_t{0}, 64), to_all})}));
    ASSERT_EQ(view.channels.size(), 2U);
    const LiveChannel& first = view.channels[0].peer ? view.channels[0] : view.channels[1];
    EXPECT_EQ(first.messages, 16U);
    EXPECT_EQ(first.bytes, 1600U);
    EXPECT_DOUBLE_EQ(first.messages_a_second, 3);
    EXPECT_EQ(first.outstanding, 2);
    EXPECT_EQ(first.largest, 64U);
    EXPECT_EQ(first.peer, 2U);
    EXPECT_EQ(first.direction, cells::ChannelDirection::kReceive);
}

}  // namespace
}  // namespace kymo::host
