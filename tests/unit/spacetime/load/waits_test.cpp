// Waits of a recording made by hand: who waited for whom, what the holder did meanwhile, and that parts add up.
#include "spacetime/load/waits.h"

#include "made_recording.h"
#include "spacetime/load/file_data.h"
#include "spacetime/load/load_files.h"
#include "spacetime/profile/profile.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

namespace kymo::spacetime {
namespace {

namespace rec = recording;
using rec::WaitKind;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kMutex = 0x7000;

// Thread 101 waits for 100 from 10 to 20 ms and from 30 to 34 ms; thread 100 runs until 14 ms, sleeps from 14 to 19
// ms and has the thread id's second life from 25 ms on.
void write(const std::filesystem::path& path, bool first_wait, bool second_wait) {
    testing::MadeFile file(path, 100);
    rec::Event event;
    event.name = "task-clock";
    file.own().append(event);
    for (const auto& [stream, tid, begin] :
         {std::tuple{1U, 100U, 1 * kMs}, {2U, 101U, 2 * kMs}, {3U, 100U, 25 * kMs}}) {
        rec::Stream row;
        row.time = begin;
        row.stream = stream;
        row.tid = tid;
        file.own().append(row);
        rec::Context context;
        context.context = 1;
        context.offset = 0x10 * stream;
        file.stream(stream).append(context);
    }
    for (const std::uint64_t time : {8 * kMs, 12 * kMs, 14 * kMs}) {
        const std::uint64_t deltas[] = {time == 14 * kMs ? 1 * kMs : 4 * kMs};  // a millisecond off the processor
        rec::Sample row;
        row.time = time;
        row.context = 1;
        row.deltas = deltas;
        file.stream(1).append(row);
    }
    rec::Wait sleep;
    sleep.time = 14 * kMs;
    sleep.duration = 5 * kMs;
    sleep.kind = static_cast<std::uint64_t>(WaitKind::kSleep);
    sleep.context = 1;
    file.stream(1).append(sleep);
    rec::Wait wait;
    wait.kind = static_cast<std::uint64_t>(WaitKind::kMutex);
    wait.object = kMutex;
    wait.context = 1;
    wait.holder = 100;
    wait.time = 10 * kMs;
    wait.duration = 10 * kMs;
    if (first_wait) {
        file.stream(2).append(wait);
    }
    wait.time = 30 * kMs;
    wait.duration = 4 * kMs;
    if (second_wait) {
        file.stream(2).append(wait);
    }
    rec::WaitBrief brief;
    brief.stream = 2;
    brief.kind = wait.kind;
    brief.count = 7;
    brief.duration = 900;
    file.own().append(brief);
    file.close();
}

Waits load(bool first_wait, bool second_wait) {
    const testing::TemporaryFolder folder;
    const auto path = folder.path() / "process-100-0.krec";
    write(path, first_wait, second_wait);
    const auto file = rec::File::open(path);
    EXPECT_TRUE(file);
    auto data = load_file(*file);
    EXPECT_TRUE(data);
    return std::move(data->waits);
}

TEST(Waits, TellsWhatTheHolderDidMeanwhile) {
    const Waits waits = load(true, false);
    ASSERT_EQ(waits.groups.size(), 2U);  // the sleep, and the mutex
    const auto mutex = std::find_if(waits.groups.begin(), waits.groups.end(),
                                    [](const auto& entry) { return entry.first.kind == WaitKind::kMutex; });
    ASSERT_NE(mutex, waits.groups.end());
    const auto& [key, group] = *mutex;
    EXPECT_EQ(key.thread.in(waits.threads).tid, 101U);
    EXPECT_EQ(key.object, kMutex);
    ASSERT_NE(key.holder, kNone);
    EXPECT_EQ(key.holder.in(waits.threads).begin, 1 * kMs);
    EXPECT_EQ(group.amount.ns, static_cast<std::int64_t>(10 * kMs));
    EXPECT_EQ(group.amount.count, 1U);
    ASSERT_EQ(group.meanwhile.size(), 2U);
    for (const auto& [what, ns] : group.meanwhile) {
        // Running: 10 to 12 ms and 13 to 14 ms. Asleep: 14 to 19 ms.
        EXPECT_EQ(ns, static_cast<std::int64_t>(what.kind == WaitKind::kSleep ? 5 * kMs : 3 * kMs));
        ASSERT_EQ(what.path.size(), 1U);
        EXPECT_EQ(what.path[0].offset, 0x10U);
    }
}

TEST(Waits, ThreadIdsHaveSeveralLives) {
    const Waits waits = load(false, true);
    const auto mutex = std::find_if(waits.groups.begin(), waits.groups.end(),
                                    [](const auto& entry) { return entry.first.kind == WaitKind::kMutex; });
    ASSERT_NE(mutex, waits.groups.end());
    EXPECT_EQ(mutex->first.holder.in(waits.threads).begin, 25 * kMs);
    EXPECT_TRUE(mutex->second.meanwhile.empty());
}

TEST(Waits, PartsAddUp) {
    const Waits whole = load(true, true);
    WaitsSum parts;
    parts.add(load(true, false));
    parts.add(load(false, true));
    const Waits sum = parts.take();
    std::int64_t of_whole = 0;
    std::int64_t of_sum = 0;
    for (const auto& [key, group] : whole.groups) {
        if (key.kind == WaitKind::kMutex) {
            of_whole += group.amount.ns;
            ASSERT_TRUE(sum.groups.contains(key));
            EXPECT_EQ(sum.groups.at(key), group);
        }
    }
    for (const auto& [key, group] : sum.groups) {
        of_sum += key.kind == WaitKind::kMutex ? group.amount.ns : 0;
    }
    EXPECT_EQ(of_whole, static_cast<std::int64_t>(14 * kMs));
    EXPECT_EQ(of_sum, of_whole);
    EXPECT_EQ(sum.brief.begin()->second.count, 14U);
}

TEST(Waits, TableNamesHoldersAndPairs) {
    const Waits waits = load(true, true);
    const WaitTable table = make_wait_table(waits);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].kind, WaitKind::kMutex);
    EXPECT_EQ(table.rows[0].amount.count, 2U);
    ASSERT_EQ(table.rows[0].holders.size(), 2U);
    EXPECT_EQ(table.rows[0].holders[0].doing, WaitKind::kSleep);
    EXPECT_EQ(table.rows[0].holders[0].seen_ns, static_cast<std::int64_t>(8 * kMs));
    ASSERT_EQ(table.blockings.size(), 2U);
    EXPECT_EQ(table.blockings[0].waiter.in(waits.threads).tid, 101U);
}

// An image's debug information is opened once for all: frames of waits join the request that their image has already.
TEST(Waits, FramesAreLookedUpWithThoseOfTheProfile) {
    Waits waits;
    waits.images = {{"b", {}, 62, 7}, {"b", {}, 62, 8}};
    waits.groups[{{}, WaitKind::kMutex, 0, 0, {}, {{0, 0x20}, {1, 0x30}}}].meanwhile[{{}, {{0, 0x10}}}] = 1;
    const std::vector<ImageInfo> known = {{"a", {}, 62, 0}, {"b", {}, 62, 7}};
    std::vector<program::Request> requests(2);
    requests[1].offsets = {ImageOffset{0x20}};
    EXPECT_EQ(add_frames(waits, known, requests), (std::vector<std::uint32_t>{1, 2}));
    program::sort_offsets(requests);
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_TRUE(requests[0].offsets.empty());
    EXPECT_EQ(requests[1].offsets, (std::vector<ImageOffset>{ImageOffset{0x10}, ImageOffset{0x20}}));
    EXPECT_EQ(requests[2].offsets, std::vector<ImageOffset>{ImageOffset{0x30}});
    EXPECT_EQ(requests[2].image.path, "b");
    EXPECT_EQ(requests[2].image.content, 8U);
}

}  // namespace
}  // namespace kymo::spacetime
