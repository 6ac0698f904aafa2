// What a host's cells say to a query, by hand; and that it adds up to what they say to a token.

#include "ring/answers/rows.h"

#include "../../host/readings.h"
#include "ring/answers/answer.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::ring {
namespace {

using namespace host::testing;  // NOLINT(google-build-using-namespace): the readings

constexpr std::uint8_t kTasks = 1;
constexpr std::uint8_t kObjects = 0;
constexpr std::uint8_t kProcesses = 1;

std::uint32_t code(std::uint8_t kind, std::string_view name) {
    return metric_code(kind, name);
}

AskedTable wants(std::uint8_t kind, std::uint8_t level, std::uint32_t rows, std::uint64_t process = kEvery,
                 std::uint32_t order = 1) {
    if (kind == kTasks) {
        return {{kind, level, 2, rows, process, order, 0}, {code(kind, "user"), code(kind, "sent")}};
    }
    if (kind == 2) {
        return {{kind, level, 1, rows, process, order, 0}, {code(kind, "user")}};
    }
    return {{kind, level, 2, rows, process, order, 0}, {code(kind, "messages"), code(kind, "largest")}};
}

ToldTable told(const host::Reading& host, const AskedTable& asked) {
    const Rows rows = tell_rows(host, std::span(&asked, 1));
    EXPECT_EQ(rows.tables.size(), 1U);
    Rows sent = rows;
    sent.head = {1, 1, 0, 1, 1};
    Rows read;
    Prefix prefix{};
    EXPECT_EQ(open_rows(make_rows(2, 3, 4, sent), prefix, read), Refusal::kNone) << "what is told may be sent";
    EXPECT_EQ(read.tables, rows.tables);
    return rows.tables[0];
}

host::Reading two_programs() {
    return reading(9, {process(1, ResourceKind::kTask,
                               {row(0, RowState::kSum, {{at(TaskCell::kUser), 1000}, {kOwn, 5}}),
                                row(7, RowState::kLive, {{at(TaskCell::kUser), 30}, {kOwn, 1}}),
                                row(8, RowState::kEnded, {{at(TaskCell::kUser), 20}, {kOwn, 2}})}),
                       process(2, ResourceKind::kTask,
                               {row(0, RowState::kSum, {}), row(9, RowState::kLive, {{at(TaskCell::kUser), 7}})})});
}

TEST(RingRows, ThreadsAreRowsAndSoAreThoseThatHaveEnded) {
    const ToldTable table = told(two_programs(), wants(kTasks, kObjects, 100));
    EXPECT_EQ(table.head.there, 4U);
    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(table.rows[0].head.state, RowIs::kSumOfEnded) << "the greatest first";
    EXPECT_EQ(table.rows[0].head.number, 0U);
    EXPECT_EQ(table.rows[0].values, (std::vector<std::uint64_t>{1000, 5}));
    EXPECT_EQ(table.rows[1].name(), "t7");
    EXPECT_EQ(table.rows[1].head.number, 7U);
    EXPECT_EQ(table.rows[1].head.process, 1U);
    EXPECT_EQ(table.rows[1].head.state, RowIs::kThere);
    EXPECT_EQ(table.rows[2].head.state, RowIs::kEnded);
    EXPECT_EQ(table.rows[3].head.process, 2U) << "nobody has ended there: no row for it";
    EXPECT_EQ(told(two_programs(), wants(kTasks, kObjects, 100, 2)).head.there, 1U) << "of one process";
    EXPECT_EQ(told(two_programs(), wants(kTasks, kObjects, 100, 3)).head.there, 0U);
}

TEST(RingRows, ProcessesAreWhatTheirThreadsAddUpTo) {
    host::Reading host = two_programs();
    host.processes[1].schema.clear();
    const ToldTable table = told(host, wants(kTasks, kProcesses, 100, kEvery, 0));
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].head.number, 1U) << "without an order by number";
    EXPECT_EQ(table.rows[0].name(), "p1");
    EXPECT_EQ(table.rows[0].head.objects, 1U) << "one lives";
    EXPECT_EQ(table.rows[0].values, (std::vector<std::uint64_t>{1050, 8}));
    EXPECT_EQ(table.rows[1].head.unknown, 2U) << "it has no such metric";
    host.processes[1].ended = 5;
    EXPECT_EQ(told(host, wants(kTasks, kProcesses, 100)).rows[1].head.state, RowIs::kEnded);
}

TEST(RingRows, WhatIsCutIsTold) {
    const ToldTable table = told(two_programs(), wants(kTasks, kObjects, 2));
    EXPECT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.head.rows, 2U);
    EXPECT_EQ(table.head.there, 4U);
    EXPECT_EQ(table.rows[0].values[0], 1000U);
    EXPECT_EQ(table.rows[1].values[0], 30U);
    EXPECT_EQ(told(two_programs(), wants(kTasks, kObjects, 1, kEvery, 2)).rows[0].values[1], 5U);
    EXPECT_EQ(told(two_programs(), wants(kTasks, kObjects, 1, kEvery, 0)).rows[0].head.number, 0U);
}

TEST(RingRows, WhatKeptChangingIsNotKnown) {
    host::Reading host = two_programs();
    host.processes[0].tables[0].rows[1].torn = true;
    const ToldTable threads = told(host, wants(kTasks, kObjects, 9));
    std::size_t unknown = 0;
    for (const TableRow& row : threads.rows) {
        unknown += row.head.number == 7 ? row.head.unknown : 0;
    }
    EXPECT_EQ(unknown, 3U);
    EXPECT_EQ(told(host, wants(kTasks, kProcesses, 9, 1)).rows[0].head.unknown, 3U) << "nor is their sum";
}

TEST(RingRows, ProcessorsAreToldOnceByWhoFilledThemLast) {
    const auto processor = [](std::uint32_t pid, std::uint64_t filled, std::uint64_t user) {
        Snapshot made =
            process(pid, ResourceKind::kProcessor, {row(0, RowState::kLive, {{at(ProcessorCell::kUser), user}})});
        made.tables[0].rows[0].filled = filled;
        return made;
    };
    const ToldTable table =
        told(reading(1, {processor(1, 20, 5), processor(2, 30, 6), processor(3, 10, 7)}), wants(2, kObjects, 9));
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows[0].values[0], 6U);
    EXPECT_EQ(table.rows[0].head.process, 0U);
}

TEST(RingRows, ChannelsAreOverTheirThreadsAndTheRingsOwnAreLeftOut) {
    const auto channel = [](std::uint64_t number, std::uint64_t peer, std::uint64_t direction,
                            std::uint64_t messages) {
        RowValues made = row(number, RowState::kLive,
                             {{at(ChannelCell::kMessages), messages}, {at(ChannelCell::kLargest), 10 * messages}});
        made.key = {77, peer, direction};
        made.name = "world";
        return made;
    };
    const ToldTable table =
        told(reading(1, {process(4, ResourceKind::kChannel,
                                 {row(0, RowState::kSum, {}), channel(1, 3, 0, 5), channel(2, 3, 0, 6),
                                  channel(3, 3, 1, 4), channel(4, 3, 6, 9)})}),
             wants(3, kObjects, 9));
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].values, (std::vector<std::uint64_t>{11, 60})) << "and the largest of both";
    EXPECT_EQ(table.rows[0].head.communicator, 77U);
    EXPECT_EQ(table.rows[0].head.peer, 3U);
    EXPECT_EQ(table.rows[0].head.process, 4U);
    EXPECT_EQ(table.rows[0].name(), "world");
    EXPECT_EQ(table.rows[1].head.direction, 1U);
    EXPECT_EQ(table.rows[1].values[0], 4U);
}

TEST(RingRows, ReadingsAreToldWithWhatTheyLack) {
    host::Reading host = two_programs();
    host.unreadable = 3;
    host.processes[0].tables[0].refused = 2;
    host.processes[1].tables[0].refused = 5;
    const Rows rows = tell_rows(host, {});
    EXPECT_EQ(rows.facts.read, 9U);
    EXPECT_EQ(rows.facts.unreadable, 3U);
    EXPECT_EQ(rows.facts.refused, 7U);
    EXPECT_TRUE(rows.tables.empty());
}

// Whatever the cells are: threads add up to processes, these to what a token is told of the host.
TEST(RingRows, AllLevelsAddUpToTheHostsSum) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<Snapshot> processes;
        for (std::uint32_t pid = 1; pid <= random() % 5; ++pid) {
            std::vector<RowValues> rows{
                row(0, RowState::kSum, {{at(TaskCell::kUser), random() % 3}, {kOwn, random() % 3}})};
            for (std::uint64_t tid = 0; tid < random() % 6; ++tid) {
                const auto state = random() % 2 == 0 ? RowState::kLive : RowState::kEnded;
                rows.push_back(row(pid * 100 + tid, state, {{at(TaskCell::kUser), random()}, {kOwn, random() % 9}}));
                if (state == RowState::kLive && random() % 3 == 0) {
                    rows.back().running.push_back({0, 1, kOwn, random() % 50});
                }
            }
            processes.push_back(process(pid, ResourceKind::kTask, std::move(rows)));
        }
        const host::Reading host = reading(1, std::move(processes));
        for (const std::size_t metric : {std::size_t{0}, std::size_t{1}}) {
            const AskedTable threads = wants(kTasks, kObjects, kMaxRows);
            const AskedTable programs = wants(kTasks, kProcesses, kMaxRows);
            Entry entry{kTasks, 3, 0, threads.metrics[metric], 0};
            Record record{};
            answer(host, 0, std::span(&entry, 1), std::span(&record, 1));
            for (const AskedTable& asked : {threads, programs}) {
                std::uint64_t sum = 0;
                for (const TableRow& each : told(host, asked).rows) {
                    sum += each.values[metric];
                }
                EXPECT_EQ(sum, record.sum_low);
            }
        }
    }
}

}  // namespace
}  // namespace kymo::ring
