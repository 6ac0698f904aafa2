// Processes that share a file, a row each.
#include "made_recording.h"
#include "recording/reader.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::spacetime {
namespace {

using testing::MadeFile;
using testing::TemporaryFolder;

constexpr std::uint64_t kShortMs = 1'000'000;  // ns

struct Row {
    std::uint64_t pid = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t clock = 0;  // ns on a processor, of which three quarters are the kernel's
    std::vector<std::uint64_t> wait_kinds = {};
    std::vector<std::uint64_t> wait_ns = {};
};

// A shared file with these rows, loaded.
Result<Profile> profile_of(const TemporaryFolder& folder, const std::vector<Row>& rows) {
    MadeFile file(folder.path() / "short-processes.krec", 1);
    file.own().append(
        recording::Event{.index = 0, .name = "task-clock", .unit = "ns", .mode = 1, .value = 10 * kShortMs});
    file.own().append(recording::Event{.index = 1, .name = "page-faults", .mode = 0});
    for (const Row& row : rows) {
        const std::vector<std::uint64_t> totals{row.clock, 30};
        const std::vector<std::uint64_t> counts(row.wait_ns.size(), 2);
        recording::ShortProcess process;
        process.time = row.begin;
        process.end = row.end;
        process.pid = row.pid;
        process.parent_pid = 1;
        process.executable = "/usr/bin/true";
        process.command = std::string_view("true\0-v\0", 8);
        process.totals = totals;
        process.user_ns = row.clock / 4;
        process.system_ns = row.clock - row.clock / 4;
        process.voluntary = 3;
        process.wait_kinds = row.wait_kinds;
        process.wait_counts = counts;
        process.wait_durations = row.wait_ns;
        file.own().append(process);
    }
    file.close();
    const auto recording = recording::Recording::open(folder.path());
    return recording ? load_profile(*recording) : Result<Profile>(recording.error());
}

TEST(ShortProcesses, AreProcessesLikeOthers) {
    const TemporaryFolder folder;
    const auto profile =
        profile_of(folder, {{.pid = 10, .begin = 100 * kShortMs, .end = 103 * kShortMs, .clock = 2 * kShortMs},
                            {.pid = 11, .begin = 104 * kShortMs, .end = 105 * kShortMs, .clock = kShortMs / 2}});
    ASSERT_TRUE(profile);
    ASSERT_EQ(profile->processes.size(), 2U);
    ASSERT_EQ(profile->threads.size(), 2U);
    EXPECT_THAT(profile->warnings, ::testing::IsEmpty());
    const ProfileProcess& process = profile->processes[0];
    EXPECT_EQ(process.pid, 10U);
    EXPECT_EQ(process.parent_pid, 1U);
    EXPECT_EQ(process.name, "true");
    EXPECT_THAT(process.command, ::testing::ElementsAre("true", "-v"));
    EXPECT_TRUE(process.has_ended);
    EXPECT_EQ(process.begin, 100 * kShortMs);
    EXPECT_EQ(process.end, 103 * kShortMs);
    EXPECT_THAT(process.totals, ::testing::ElementsAre(2 * kShortMs, 30));
    const ProfileThread& thread = profile->threads[0];
    EXPECT_EQ(thread.tid, 10U);
    EXPECT_EQ(thread.costs[kUser], static_cast<std::int64_t>(kShortMs / 2));
    EXPECT_EQ(thread.costs[kSystem], static_cast<std::int64_t>(3 * kShortMs / 2));
    EXPECT_EQ(thread.costs[kOffCpu], static_cast<std::int64_t>(kShortMs));
    EXPECT_EQ(thread.costs[kSamples], 0);
    EXPECT_EQ(thread.costs[kFirstEvent + 1], 30);
    EXPECT_EQ(thread.switches.voluntary, 3U);
    EXPECT_THAT(profile->streams, ::testing::IsEmpty());
}

// After an exec that failed the process goes on, and has a later row.
TEST(ShortProcesses, TheLastRowOfAProcessHolds) {
    const TemporaryFolder folder;
    const auto profile =
        profile_of(folder, {{.pid = 10, .begin = 100 * kShortMs, .end = 101 * kShortMs, .clock = kShortMs},
                            {.pid = 10, .begin = 100 * kShortMs, .end = 109 * kShortMs, .clock = 4 * kShortMs},
                            {.pid = 10, .begin = 110 * kShortMs, .end = 111 * kShortMs, .clock = kShortMs}});
    ASSERT_TRUE(profile);
    ASSERT_EQ(profile->processes.size(), 2U);
    EXPECT_EQ(profile->processes[0].end, 109 * kShortMs);
    EXPECT_THAT(profile->processes[0].totals, ::testing::ElementsAre(4 * kShortMs, 30));
}

// And a file of its own, where it had more to tell after that.
TEST(ShortProcesses, AProcessWithAFileIsToldOnce) {
    const TemporaryFolder folder;
    {
        MadeFile own(folder.path() / "process-10-0.krec", 10);
        own.own().append(recording::Process{.time = 100 * kShortMs, .pid = 10, .parent_pid = 1});
        own.own().append(recording::ProcessEnd{.time = 200 * kShortMs});
        own.close();
    }
    const auto profile =
        profile_of(folder, {{.pid = 10, .begin = 100 * kShortMs, .end = 101 * kShortMs, .clock = kShortMs},
                            {.pid = 11, .begin = 100 * kShortMs, .end = 101 * kShortMs, .clock = kShortMs}});
    ASSERT_TRUE(profile);
    ASSERT_EQ(profile->processes.size(), 2U);
    EXPECT_EQ(profile->processes[0].pid, 10U);
    EXPECT_TRUE(profile->processes[0].totals.empty());
    EXPECT_EQ(profile->processes[1].pid, 11U);
}

TEST(ShortProcesses, HaveTheirWaitsByKind) {
    const TemporaryFolder folder;
    const auto sleep = static_cast<std::uint64_t>(recording::WaitKind::kSleep);
    const auto profile = profile_of(folder, {{.pid = 10,
                                              .begin = 100 * kShortMs,
                                              .end = 105 * kShortMs,
                                              .clock = kShortMs,
                                              .wait_kinds = {sleep, 0, 1000},
                                              .wait_ns = {4 * kShortMs, kShortMs, kShortMs}}});
    ASSERT_TRUE(profile);
    ASSERT_EQ(profile->waits.brief.size(), 1U);
    const auto& [key, amount] = *profile->waits.brief.begin();
    EXPECT_EQ(key.second, recording::WaitKind::kSleep);
    EXPECT_EQ(amount.count, 2U);
    EXPECT_EQ(amount.ns, static_cast<std::int64_t>(4 * kShortMs));
}

TEST(ShortProcesses, AnEndBeforeTheBeginIsNoProcess) {
    const TemporaryFolder folder;
    const auto profile =
        profile_of(folder, {{.pid = 10, .begin = 100 * kShortMs, .end = 90 * kShortMs, .clock = kShortMs},
                            {.pid = 11, .begin = 100 * kShortMs, .end = 101 * kShortMs, .clock = kShortMs}});
    ASSERT_TRUE(profile);
    ASSERT_EQ(profile->processes.size(), 1U);
    EXPECT_EQ(profile->processes[0].pid, 11U);
    EXPECT_THAT(profile->warnings, ::testing::Contains(::testing::HasSubstr("1 rows that refer to nothing")));
}

}  // namespace
}  // namespace kymo::spacetime
