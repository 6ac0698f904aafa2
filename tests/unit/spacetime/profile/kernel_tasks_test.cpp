#include "spacetime/profile/kernel_tasks.h"

#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/ranks.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

FileData parent_file() {
    FileData file;
    file.name = "launch.krec";
    file.run.emplace().begin = 1 * kMillisecond;
    file.run_end.emplace().end = 100 * kMillisecond;
    return file;
}

FileData process_file(std::uint64_t pid, std::uint64_t begin, std::uint64_t end, const std::string& executable) {
    FileData file;
    file.name = "process-" + std::to_string(pid) + ".krec";
    file.has_process = true;
    file.pid = pid;
    file.begin = begin;
    file.executable = executable;
    file.has_ended = true;
    StreamData& stream = file.streams[1];
    stream.id = 1;
    stream.tid = pid;
    stream.begin = begin;
    stream.end = end;
    stream.is_known = true;
    stream.has_ended = true;
    stream.costs = CostTable(0);
    stream.costs.resize(1);
    stream.unsampled.assign(kFirstEvent, 0);
    stream.unsampled[kOffCpu] = static_cast<std::int64_t>(end - begin);
    return file;
}

FileData::TaskLife life(std::uint64_t pid, std::uint64_t begin, std::uint64_t end) {
    FileData::TaskLife made;
    made.pid = made.tid = pid;
    made.begin = begin;
    made.end = end;
    made.has_begun = true;
    return made;
}

const ProfileProcess* find(const Profile& profile, const std::string& executable) {
    for (const ProfileProcess& process : profile.processes) {
        if (process.executable == executable) {
            return &process;
        }
    }
    return nullptr;
}

// 10 execs make; 11 is forked from it and execs a static program; 12 is forked and works; 10's own image was
// measured.
Profile tree() {
    FileData parent = parent_file();
    auto root = life(10, 2 * kMillisecond, 90 * kMillisecond);
    root.by_exec = true;
    root.executable = "/bin/make";
    root.switches = {.voluntary = 3};
    auto fork = life(11, 20 * kMillisecond, 21 * kMillisecond);
    fork.execs = true;
    fork.parent_pid = 10;
    fork.parent_tid = 10;
    fork.executable = "/bin/make";
    auto foreign = life(11, 21 * kMillisecond, 61 * kMillisecond);
    foreign.by_exec = true;
    foreign.parent_pid = 10;
    foreign.parent_tid = 10;
    foreign.executable = "/opt/static";
    foreign.obstacle = "is statically linked";
    foreign.offs = {{30 * kMillisecond, 55 * kMillisecond, false}, {56 * kMillisecond, 61 * kMillisecond, true}};
    auto gone = life(13, 70 * kMillisecond, 0);
    gone.by_exec = true;
    gone.name = "su";
    parent.tasks = {root, fork, foreign, gone};
    return make_profile({parent, process_file(10, 3 * kMillisecond, 89 * kMillisecond, "/bin/make")}, {});
}

TEST(KernelTasks, WhatNoMonitorWasInIsListedWithItsTime) {
    const Profile profile = tree();
    const ProfileProcess* process = find(profile, "/opt/static");
    ASSERT_NE(process, nullptr);
    EXPECT_FALSE(process->is_monitored);
    EXPECT_EQ(process->why_not, "is statically linked");
    EXPECT_EQ(process->parent_pid, 10U);
    EXPECT_EQ(process->exec_from, "/bin/make");
    EXPECT_TRUE(process->has_times);
    const auto costs = process_costs(profile)[static_cast<std::size_t>(process - profile.processes.data())];
    EXPECT_EQ(costs[kUser], static_cast<std::int64_t>(10 * kMillisecond));
    EXPECT_EQ(costs[kOffCpu], static_cast<std::int64_t>(30 * kMillisecond));
}

TEST(KernelTasks, AForkOnItsWayToAnExecIsNoProcessOfItsOwn) {
    EXPECT_EQ(tree().processes.size(), 3U);
}

TEST(KernelTasks, AMonitoredImageKeepsItsOwnTimesAndGetsItsSwitches) {
    const Profile profile = tree();
    const ProfileProcess* make = find(profile, "/bin/make");
    ASSERT_NE(make, nullptr);
    EXPECT_TRUE(make->is_monitored);
    ASSERT_FALSE(profile.threads.empty());
    EXPECT_EQ(profile.threads[0].switches, (SwitchCounts{.voluntary = 3}));
    EXPECT_EQ(profile.threads[0].begin, 3 * kMillisecond);
}

TEST(KernelTasks, AnExecThatTellsNoMappingChangedRights) {
    const Profile profile = tree();
    const ProfileProcess* su = find(profile, "");
    ASSERT_NE(su, nullptr);
    EXPECT_FALSE(su->has_times);
    EXPECT_NE(su->why_not.find("setuid"), std::string::npos);
}

TEST(KernelTasks, ANumberThatCameBackIsAnotherProcess) {
    FileData parent = parent_file();
    auto first = life(20, 5 * kMillisecond, 10 * kMillisecond);
    first.by_exec = true;
    first.executable = "/opt/static";
    auto second = life(20, 50 * kMillisecond, 60 * kMillisecond);
    second.by_exec = true;
    second.executable = "/bin/true";
    parent.tasks = {first, second};
    const Profile profile =
        make_profile({parent, process_file(20, 51 * kMillisecond, 59 * kMillisecond, "/bin/true")}, {});
    ASSERT_EQ(profile.processes.size(), 2U);
    EXPECT_TRUE(find(profile, "/bin/true")->is_monitored);
    EXPECT_FALSE(find(profile, "/opt/static")->is_monitored);
}

FileData ranked(FileData file, std::uint64_t rank, const std::string& host) {
    file.rank = FileData::Rank{.rank = rank, .size = 2, .host = host};
    return file;
}

// Two hosts of 16 and 8 processors: 24 threads are not too many. Two ranks of one host share its processors.
TEST(Ranks, ProcessorsAreThoseOfAllHosts) {
    const auto on = [](const std::string& host, std::uint64_t rank, std::uint64_t processors) {
        FileData file = ranked(parent_file(), rank, host);
        file.run->host = host;
        file.run->processors = processors;
        return file;
    };
    EXPECT_EQ(make_profile({on("a", 0, 16), on("a", 1, 16), on("b", 2, 8)}, {}).processors, 24U);
    EXPECT_EQ(make_profile({on("a", 0, 16), on("b", 1, 0)}, {}).processors, 0U) << "of one host not known";
}

TEST(Ranks, TheSameNumbersOnTwoHostsStayApart) {
    FileData first = ranked(parent_file(), 0, "a");
    FileData second = ranked(parent_file(), 1, "b");
    first.clock_pair = recording::ClockPair{1 * kMillisecond, 5001 * kMillisecond, 0};
    second.clock_pair = recording::ClockPair{1 * kMillisecond, 5011 * kMillisecond, 0};  // booted 10 ms later
    FileData process = process_file(7, 10 * kMillisecond, 30 * kMillisecond, "/bin/solver");
    const Profile profile = make_profile({first, second, ranked(process, 0, "a"), ranked(process, 1, "b")}, {});
    ASSERT_EQ(profile.ranks.size(), 2U);
    EXPECT_EQ(profile.ranks[1].host, "b");
    EXPECT_EQ(profile.ranks[1].size, 2U);
    EXPECT_EQ(profile.ranks[1].duration_ns, 99 * kMillisecond);
    EXPECT_EQ(profile.ranks[0].costs[kOffCpu], static_cast<std::int64_t>(20 * kMillisecond));
    ASSERT_EQ(profile.processes.size(), 2U);
    EXPECT_EQ(profile.processes[0].begin, 10 * kMillisecond);
    EXPECT_EQ(profile.processes[1].begin, 20 * kMillisecond);
    EXPECT_EQ(profile.begin, 1 * kMillisecond);
    EXPECT_EQ(profile.end, 110 * kMillisecond);
    const Spread spread = spread_over_ranks(profile.ranks, kOffCpu);
    EXPECT_EQ(spread.least, spread.most);
    EXPECT_DOUBLE_EQ(spread.mean, 20e6);
}

TEST(Ranks, OneThatFailedIsTheJobsStatus) {
    FileData good = ranked(parent_file(), 0, "a");
    FileData bad = ranked(parent_file(), 1, "a");
    bad.run_end->wait_status = 3 << 8;
    FileData process = process_file(7, 10 * kMillisecond, 30 * kMillisecond, "/bin/solver");
    EXPECT_EQ(make_profile({bad, good, process}, {}).wait_status, 3U << 8U);
    EXPECT_EQ(make_profile({good, bad, process}, {}).wait_status, 3U << 8U);
}

}  // namespace
}  // namespace kymo::spacetime
