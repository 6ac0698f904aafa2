// What a host's cells say to a request, by hand.

#include "ring/answers/answer.h"

#include "../../host/readings.h"
#include "base/resource.h"
#include "ring/transport/service_metrics.h"

#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

using namespace host::testing;  // NOLINT(google-build-using-namespace): the readings

constexpr Slot kSlot = 5;

Entry entry(Resource kind, ResourceLevel level, std::uint64_t number, std::string_view metric) {
    Entry made{};
    made.kind = static_cast<std::uint8_t>(kind);
    made.level = static_cast<std::uint8_t>(level);
    made.metric = metric_code(made.kind, metric);
    made.number = number;
    return made;
}

Record answered(const host::Reading& host, const Entry& asked) {
    Record record{};
    answer(host, kSlot, std::span(&asked, 1), std::span(&record, 1));
    EXPECT_TRUE(record.is_possible(1));
    return record;
}

host::Reading tasks() {
    return reading(1, {process(1, ResourceKind::kTask,
                               {row(0, RowState::kSum, {{at(TaskCell::kUser), 1000}, {kOwn, 5}}),
                                row(7, RowState::kLive, {{at(TaskCell::kUser), 30}, {kOwn, 1}}),
                                row(8, RowState::kEnded, {{at(TaskCell::kUser), 20}, {kOwn, 2}})}),
                       process(2, ResourceKind::kTask,
                               {row(0, RowState::kSum, {}), row(9, RowState::kLive, {{at(TaskCell::kUser), 7}})})});
}

TEST(RingAnswer, EachLevelAggregatesWhatIsBelow) {
    const host::Reading host = tasks();
    const Record system = answered(host, entry(Resource::kTask, ResourceLevel::kSystem, 0, "user"));
    EXPECT_EQ(system, (Record{1057, 0, 7, 1000, 4, 4})) << "with those whose rows are used again";
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kHost, kSlot, "user")), system);
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kHost, kEvery, "user")), system);
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kHost, kSlot + 1, "user")), Record{});
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kProcess, 1, "user")).sum_low, 1050U);
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kObject, 8, "user")),
              (Record{20, 0, 20, 20, 1, 1}));
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kObject, 0, "user")), Record{}) << "no object";
}

// Whoever else has service channels on this host, a manager or another agent, tells of them itself.
TEST(RingAnswer, OpenChannelsAreTheReadersOwn) {
    const auto channel = [](std::uint64_t number, std::uint64_t open, cells::ChannelDirection direction) {
        RowValues made = row(number, RowState::kLive, {{kOpenCell, open}});
        made.key[2] = static_cast<std::uint64_t>(direction);
        return made;
    };
    constexpr auto kSend = cells::ChannelDirection::kServiceSend;
    constexpr auto kReceive = cells::ChannelDirection::kServiceReceive;
    host::Reading host = reading(
        1, {process(1, ResourceKind::kChannel, {channel(1, 1, kSend), channel(2, 0, kSend), channel(3, 1, kReceive)}),
            process(2, ResourceKind::kChannel, {channel(1, 1, kSend)})});
    const Entry open = entry(Resource::kChannel, ResourceLevel::kSystem, 0, "service-open");
    EXPECT_EQ(answered(host, open).known, 0U) << "it is not told who reads";
    host.reader = 1;
    EXPECT_EQ(answered(host, open).sum_low, 1U);
    EXPECT_EQ(answered(host, open).known, 2U) << "used";
    host.reader = 2;
    EXPECT_EQ(answered(host, open).sum_low, 1U);
    EXPECT_EQ(answered(host, open).known, 1U);
}

TEST(RingAnswer, MetricsOfProgramsGoByTheirNames) {
    EXPECT_EQ(answered(tasks(), entry(Resource::kTask, ResourceLevel::kSystem, 0, "sent")).sum_low, 8U);
    EXPECT_EQ(answered(tasks(), entry(Resource::kTask, ResourceLevel::kSystem, 0, "received")), Record{})
        << "nobody has it";
    EXPECT_NE(metric_code(1, "sent"), metric_code(1, "received"));
    EXPECT_EQ(metric_code(2, "busy"), at(ProcessorCell::kBusy));
    EXPECT_EQ(metric_code(1, "busy") & kByName, kByName) << "of processors only";
}

TEST(RingAnswer, GaugesAreOfThoseThatLive) {
    host::Reading host = tasks();
    for (Snapshot& process : host.processes) {
        process.schema[0].type = MetricType::kGauge;
    }
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kProcess, 1, "sent")), (Record{1, 0, 1, 1, 1, 1}));
}

TEST(RingAnswer, RunningTimersCountWhatTheyHaveSoFar) {
    host::Reading host = tasks();
    host.processes[0].tables[0].rows[1].running.push_back({16, 1, kOwn, 100});
    host.processes[0].tables[0].rows[2].running.push_back({16, 1, kOwn, 100});
    const Entry sent = entry(Resource::kTask, ResourceLevel::kProcess, 1, "sent");
    EXPECT_EQ(answered(host, sent).sum_low, 108U) << "of the one that lives";
    host.processes[0].ended = 9;
    EXPECT_EQ(answered(host, sent).sum_low, 8U);
}

TEST(RingAnswer, WhatCannotBeReadIsAnObjectThatIsNotKnown) {
    host::Reading host = tasks();
    host.processes[0].tables[0].rows[1].torn = true;
    host.processes[1].tables[0].rows[1].cells.resize(1);
    const Record record = answered(host, entry(Resource::kTask, ResourceLevel::kSystem, 0, "user"));
    EXPECT_EQ(record.objects, 4U);
    EXPECT_EQ(record.known, 2U);
    EXPECT_EQ(record.sum_low, 1020U);
}

TEST(RingAnswer, OfProcessorsTheOneThatWasFilledLastCounts) {
    auto older = row(0, RowState::kLive, {{at(ProcessorCell::kBusy), 100}});
    auto newer = row(0, RowState::kLive, {{at(ProcessorCell::kBusy), 150}});
    auto never = row(1, RowState::kLive, {{at(ProcessorCell::kBusy), 1}});
    older.filled = 5;
    newer.filled = 6;
    const host::Reading host = reading(
        1, {process(1, ResourceKind::kProcessor, {newer}), process(2, ResourceKind::kProcessor, {older, never})});
    EXPECT_EQ(answered(host, entry(Resource::kProcessor, ResourceLevel::kSystem, 0, "busy")),
              (Record{150, 0, 150, 150, 1, 1}));
    EXPECT_EQ(answered(host, entry(Resource::kProcessor, ResourceLevel::kObject, 0, "busy")).known, 1U);
    EXPECT_EQ(answered(host, entry(Resource::kProcessor, ResourceLevel::kObject, 3, "busy")), Record{});
}

TEST(RingAnswer, TheRingsOwnChannelsAreApartFromThoseOfPrograms) {
    const auto channel = [](std::uint64_t number, cells::ChannelDirection direction, std::uint64_t messages,
                            std::uint64_t bytes) {
        RowValues made =
            row(number, RowState::kLive,
                {{at(ChannelCell::kMessages), messages}, {at(ChannelCell::kBytes), bytes}, {kRoundTripCell, 7}});
        made.key = {1, 2, static_cast<std::uint64_t>(direction)};
        return made;
    };
    using cells::ChannelDirection;
    const host::Reading host = reading(
        1, {process(1, ResourceKind::kChannel,
                    {row(0, RowState::kSum, {{at(ChannelCell::kMessages), 1}}),
                     channel(1, ChannelDirection::kSend, 10, 100), channel(2, ChannelDirection::kReceive, 20, 200)}),
            process(2, ResourceKind::kChannel,
                    {row(0, RowState::kSum, {}), channel(0, ChannelDirection::kServiceSend, 3, 30),
                     channel(1, ChannelDirection::kServiceSend, 4, 41),
                     channel(2, ChannelDirection::kServiceReceive, 5, 55)})});
    const auto ask = [&host](ResourceLevel level, std::uint64_t number, std::string_view metric) {
        return answered(host, entry(Resource::kChannel, level, number, metric));
    };
    EXPECT_EQ(ask(ResourceLevel::kSystem, 0, "messages").sum_low, 31U) << "of programs alone, ended ones with them";
    EXPECT_EQ(ask(ResourceLevel::kSystem, 0, "service-sent"), (Record{7, 0, 3, 4, 2, 2}));
    EXPECT_EQ(ask(ResourceLevel::kHost, kSlot, "service-received"), (Record{5, 0, 5, 5, 1, 1}));
    EXPECT_EQ(ask(ResourceLevel::kHost, kSlot + 1, "service-received"), Record{});
    EXPECT_EQ(ask(ResourceLevel::kProcess, 2, "service-sent-bytes").sum_low, 71U);
    EXPECT_EQ(ask(ResourceLevel::kProcess, 1, "service-sent-bytes"), Record{});
    EXPECT_EQ(ask(ResourceLevel::kObject, 1, "service-sent").sum_low, 4U);
    EXPECT_EQ(ask(ResourceLevel::kSystem, 0, "service-round-trip").sum_low, 14U);
    EXPECT_EQ(entry(Resource::kTask, ResourceLevel::kSystem, 0, "service-sent").metric,
              entry(Resource::kChannel, ResourceLevel::kSystem, 0, "service-sent").metric);
    EXPECT_EQ(answered(host, entry(Resource::kTask, ResourceLevel::kSystem, 0, "service-sent")), Record{});
}

// Numbers of objects are their host's own, and a channel's its process's.
TEST(RingAnswer, OneHostsOrProcesssObjectIsTold) {
    const auto channel = [](std::uint64_t number, std::uint64_t messages) {
        return row(number, RowState::kLive, {{at(ChannelCell::kMessages), messages}});
    };
    const host::Reading host = reading(1, {process(71, ResourceKind::kChannel, {channel(3, 10), channel(4, 100)}),
                                           process(72, ResourceKind::kChannel, {channel(3, 1000)})});
    const auto ask = [&host](std::uint16_t of, EntryNumber number) {
        Entry asked = entry(Resource::kChannel, ResourceLevel::kObject, number.packed(), "messages");
        asked.of = of;
        return answered(host, asked).sum_low;
    };
    EXPECT_EQ(answered(host, entry(Resource::kChannel, ResourceLevel::kObject, 3, "messages")).sum_low, 1010U);
    EXPECT_EQ(ask(kOfProcess, {.object = 3, .process = 71}), 10U);
    EXPECT_EQ(ask(kOfProcess, {.object = 3, .process = 72}), 1000U);
    EXPECT_EQ(ask(kOfProcess, {.object = 4, .process = 72}), 0U);
    EXPECT_EQ(ask(kOfHost, {.object = 3, .host = kSlot}), 1010U);
    EXPECT_EQ(ask(kOfHost, {.object = 3, .host = kSlot + 1}), 0U);
    EXPECT_EQ(ask(kOfHost | kOfProcess, {.object = EntryNumber::kAll, .process = 71, .host = kSlot}), 110U);
    const EntryNumber most{EntryNumber::kAll - 1, EntryNumber::kAll - 1, EntryNumber::kHosts - 1};
    EXPECT_TRUE(most.has_room());
    EXPECT_EQ(EntryNumber::of(most.packed()).process, most.process);
    EXPECT_EQ(EntryNumber::of(most.packed()).host, most.host);
    EXPECT_FALSE((EntryNumber{.object = 1, .process = 1, .host = EntryNumber::kHosts}).has_room());
}

}  // namespace
}  // namespace kymo::ring
