// One host's tables: the same objects are told alike, whether this process has read their cells or an agent tells
// them.

#include "live/host_tables.h"

#include "host/other_ends.h"
#include "live/detail_view.h"
#include "live/host_view.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace kymo::live {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr view::Style kPlainStyle{.width = 120, .colour = false, .unicode = false};

host::LiveChannel channel(cells::ChannelDirection direction, std::optional<std::uint64_t> peer) {
    return {.pid = 42,
            .program = "solver",
            .communicator = "world",
            .peer = peer,
            .direction = direction,
            .messages = 400,
            .bytes = 8000,
            .messages_a_second = 200,
            .bytes_a_second = 4000,
            .blocked = 0.25,
            .outstanding = -1,
            .largest = 123'456};
}

// As an agent tells it: rates in the metrics' own units.
DetailRow told(const host::LiveChannel& channel) {
    DetailRow row;
    row.told.head.process = channel.pid;
    row.told.head.peer = channel.peer.value_or(~std::uint64_t{0});
    row.told.head.direction = static_cast<std::uint8_t>(channel.direction);
    row.told.head.state = ring::RowIs::kThere;
    row.told.head.name = ring::row_name(channel.communicator);
    row.told.values = {channel.messages, channel.bytes, 0, static_cast<std::uint64_t>(channel.outstanding),
                       channel.largest};
    row.a_second = {channel.messages_a_second, channel.bytes_a_second, channel.blocked * 1e9, 0, 0};
    return row;
}

DetailRow told(const host::LiveProcess& process) {
    DetailRow row;
    row.told.head.number = row.told.head.process = process.pid;
    row.told.head.objects = static_cast<std::uint32_t>(process.tasks.size());
    row.told.head.state = process.has_ended ? ring::RowIs::kEnded : ring::RowIs::kThere;
    row.told.head.name = ring::row_name(process.program);
    const host::TaskRates& rates = process.rates;
    row.told.values.resize(8);
    row.a_second = {rates.user * 1e9,      rates.system * 1e9,
                    rates.lock_wait * 1e9, rates.wait * 1e9,
                    rates.switches,        0,
                    rates.faults,          0};
    return row;
}

DetailRow told(const host::LiveProcessor& processor) {
    DetailRow row;
    row.told.head.number = processor.number;
    row.told.head.state = ring::RowIs::kThere;
    row.told.values.resize(8);
    row.a_second = {processor.user * 1e9, 0, processor.system * 1e9, 0, processor.steal * 1e9,
                    processor.idle * 1e9, 0, processor.queue * 1e9};
    return row;
}

DetailView told(const host::LiveView& view) {
    DetailView detail;
    detail.state = ring::DetailQueries::State::kTold;
    const auto add = [&detail](RowsOf what, const auto& list) {
        DetailTable table{what, {}, static_cast<std::uint32_t>(list.size()), {}, 1};
        for (const auto& each : list) {
            table.rows.push_back(told(each));
        }
        table.metrics.resize(own_columns(what));
        detail.tables.push_back(std::move(table));
    };
    add(RowsOf::kProcessors, view.processors);
    add(RowsOf::kProcesses, view.processes);
    add(RowsOf::kChannels, view.channels);
    detail.facts.refused = static_cast<std::uint32_t>(view.refused);
    detail.facts.unreadable = static_cast<std::uint32_t>(view.unreadable);
    return detail;
}

host::LiveView some() {
    using Direction = cells::ChannelDirection;
    host::LiveView view;
    view.seconds = 1;
    view.processors = {{.number = 3, .user = 0.5, .system = 0.25, .steal = 0.125, .idle = 0.125, .queue = 1.5}};
    const host::TaskRates busy{
        .user = 1.5, .system = 0.25, .lock_wait = 0.5, .wait = 0.75, .switches = 21'000, .faults = 64};
    const host::TaskRates idle{.user = 0.25, .faults = 2'000};
    view.processes = {{.pid = 42, .program = "solver", .rates = busy, .tasks = {{42, "solver", busy}}},
                      {.pid = 43, .program = "helper", .rates = idle, .tasks = {}, .has_ended = true}};
    view.channels = {channel(Direction::kSend, 7), channel(Direction::kCollective, std::nullopt),
                     channel(Direction::kWrite, std::nullopt), channel(Direction::kServiceSend, 2),
                     channel(Direction::kServiceReceive, ring::kManager)};
    view.refused = 2;
    view.unreadable = 1;
    return view;
}

// Without headings and columns' names, which say how many there are of what.
std::vector<std::string> rows_of(const std::vector<std::string>& lines) {
    std::vector<std::string> rows;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(rows), [](const std::string& line) {
        return line.find_first_of("0123456789") != std::string::npos && line.starts_with(' ');
    });
    return rows;
}

TEST(HostTables, WhatIsReadHereAndWhatAnAgentTellsIsDrawnAlike) {
    const host::LiveView view = some();
    for (const TaskSort sort : {TaskSort::kOnCpu, TaskSort::kFaults}) {
        HostShown here;
        here.sort = sort;
        DetailShown there;
        there.sort = sort;
        const std::vector<std::string> read = rows_of(host_lines(kPlainStyle, view, here));
        EXPECT_EQ(read, rows_of(detail_lines(kPlainStyle, told(view), there)));
        EXPECT_EQ(read.size(), 1U + 2U + 5U + 2U);
    }
}

TEST(HostTables, ProgramsStandInTheOrderThatIsWanted) {
    HostShown shown;
    shown.sort = TaskSort::kFaults;
    const std::vector<std::string> rows = rows_of(host_lines(kPlainStyle, some(), shown));
    EXPECT_THAT(rows.at(1), HasSubstr("helper 43"));
    EXPECT_THAT(rows.at(2), HasSubstr("solver 42"));
}

TEST(HostTables, AServiceChannelLeadsToASlotAndAProgramsToARank) {
    const std::vector<std::string> lines = host_lines(kPlainStyle, some(), {});
    EXPECT_THAT(lines,
                Contains(AllOf(HasSubstr("25 %"), HasSubstr("123,456"), HasSubstr("solver 42 to rank 7  world"))));
    EXPECT_THAT(lines, Contains(HasSubstr("solver 42 with all  world")));
    EXPECT_THAT(lines, Contains(HasSubstr("solver 42 to slot 2  world")));
    EXPECT_THAT(lines, Contains(HasSubstr("solver 42 from manager  world")));
}

TEST(HostTables, RowsLeftOutAreCounted) {
    HostShown shown;
    shown.rows = 2;
    EXPECT_THAT(host_lines(kPlainStyle, some(), shown), Contains(HasSubstr("3 more")));
}

TEST(Lines, AHeadingStandsBelowAFreeLineAndNothingIsTooWide) {
    Lines lines({.width = 8, .colour = false, .unicode = false});
    lines.heading("First");
    lines.line("longer than eight");
    lines.heading("Second");
    const std::vector<std::string> drawn = lines.take();
    ASSERT_EQ(drawn.size(), 4U);
    EXPECT_EQ(drawn[0], "First");
    EXPECT_EQ(drawn[1].size(), 8U);
    EXPECT_EQ(drawn[2], "");
}

TEST(Lines, WhatIsChosenStaysWithinTheOrder) {
    const std::vector<int> order{5, 6, 7};
    std::optional<int> chosen;
    choose_next(chosen, order, 1);
    EXPECT_EQ(chosen, 5) << "nothing was chosen: the first is";
    choose_next(chosen, order, 5);
    EXPECT_EQ(chosen, 7);
    choose_next(chosen, order, -1);
    EXPECT_EQ(chosen, 6);
    choose_next(chosen, {}, 1);
    EXPECT_EQ(chosen, 6);
    EXPECT_EQ(first_shown(2, 4), 0U);
    EXPECT_EQ(first_shown(6, 4), 3U);
}

TEST(HostTables, EndsOfChannelsNameWhoIsAtTheOther) {
    const auto end = [](std::uint32_t pid, std::uint64_t own, std::uint64_t other, bool receives) {
        host::LiveChannel made = channel(
            static_cast<cells::ChannelDirection>(end_direction(ChannelKind::kTcpLoopback, receives)), std::nullopt);
        made.pid = pid;
        made.program = pid == 42 ? "solver" : "helper";
        made.communicator = "127.0.0.1:80";
        made.communicator_id = own;
        made.peer_end = other;
        return made;
    };
    host::LiveView view = some();
    view.channels = {end(42, 5, 6, false), end(43, 6, 5, true), end(42, 9, 8, true)};
    host::find_other_ends(view.channels);
    const std::vector<std::string> here = host_lines(kPlainStyle, view, HostShown{});
    EXPECT_THAT(here, Contains(HasSubstr("solver 42 to helper 43  tcp-loopback 127.0.0.1:80")));
    EXPECT_THAT(here, Contains(HasSubstr("helper 43 from solver 42  tcp-loopback 127.0.0.1:80")));
    EXPECT_THAT(here, Contains(HasSubstr("solver 42 from 127.0.0.1:80  tcp-loopback")));
    EXPECT_EQ(host_json(view)["channels"][0]["other"], "helper 43");
}

TEST(Request, NamesOneHostsObject) {
    const auto asked = parse_asked("channel/host/2/process/77/channel/*/bytes");
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->entry.of, ring::kOfHost | ring::kOfProcess);
    const ring::EntryNumber number = ring::EntryNumber::of(asked->entry.number);
    EXPECT_EQ(number.host, 2U);
    EXPECT_EQ(number.process, 77U);
    EXPECT_EQ(number.object, ring::EntryNumber::kAll);
    EXPECT_EQ(to_text(*asked), "channel/host/2/process/77/channel/*/bytes");
    EXPECT_EQ(parse_asked("processor/processor/0/busy")->entry.of, 0U);
    EXPECT_FALSE(parse_asked("processor/host/*/processor/0/busy"));
    EXPECT_FALSE(parse_asked("processor/host/9999999/processor/0/busy"));
}

}  // namespace
}  // namespace kymo::live
