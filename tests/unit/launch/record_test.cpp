// Whole runs with a stand-in for the monitor: how programs end, what is kept of it, and what is refused before the
// start.
#include "record_fixture.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

struct Ending {
    const char* script;
    int exit_status;
};

TEST_F(RecordTest, TheExitStatusIsTheProgramsOwn) {
    const std::vector<Ending> endings = {{"exit 0", 0},
                                         {"exit 3", 3},
                                         {"exit 255", 255},
                                         {"kill -TERM $$", 128 + SIGTERM},
                                         {"kill -KILL $$", 128 + SIGKILL},
                                         {"ulimit -c 0; kill -SEGV $$", 128 + SIGSEGV}};
    for (const Ending& ending : endings) {
        RecordOutcome outcome;
        record_and_read(shell(ending.script), outcome);
        EXPECT_EQ(outcome.exit_status(), ending.exit_status) << ending.script;
        EXPECT_EQ(outcome.reason, EndReason::kEnded) << ending.script;
    }
}

TEST_F(RecordTest, TheMonitorIsLoadedAndFindsItsSession) {
    RecordOptions options = shell("/bin/true; exit 0");
    options.output = "here.kymo";
    RecordOutcome outcome;
    const Log log = record_and_read(options, outcome);
    EXPECT_EQ(outcome.recording, folder_.path() / "here.kymo");
    int notes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(outcome.recording)) {
        notes += entry.path().filename().string().starts_with("note-") ? 1 : 0;
    }
    EXPECT_EQ(notes, 2);  // the shell and what it started
    EXPECT_FALSE(std::filesystem::exists(outcome.recording / "session"));
    EXPECT_EQ(log.commands[0], std::string("/bin/sh\0-c\0/bin/true; exit 0\0", 29));
    EXPECT_EQ(outcome.processes, 0U);
    struct stat facts{};
    ASSERT_EQ(stat((outcome.recording / kLaunchFile).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0600U);
}

TEST_F(RecordTest, TasksAndSwitchesAreTheKernels) {
    RecordOutcome outcome;
    const Log log = record_and_read(shell("sleep 0.2; exit 0"), outcome);
    if (std::find(log.missing.begin(), log.missing.end(), "switch and task records") != log.missing.end() ||
        outcome.switches == 0) {
        GTEST_SKIP() << "per-processor records are barred here";
    }
    EXPECT_EQ(outcome.lost, 0U);
    EXPECT_THAT(log.task_names, testing::Contains("sh"));
    EXPECT_THAT(log.task_names, testing::Contains("sleep"));
    int execs = 0;
    int forks = 0;
    int exits = 0;
    std::uint64_t sleeper = 0;
    for (std::size_t i = 0; i < log.tasks.size(); ++i) {
        execs += log.tasks[i].change == static_cast<std::uint64_t>(recording::TaskChange::kExec) ? 1 : 0;
        forks += log.tasks[i].change == static_cast<std::uint64_t>(recording::TaskChange::kFork) ? 1 : 0;
        exits += log.tasks[i].change == static_cast<std::uint64_t>(recording::TaskChange::kExit) ? 1 : 0;
        sleeper = log.task_names[i] == "sleep" ? log.tasks[i].tid : sleeper;
    }
    EXPECT_EQ(execs, 2);
    EXPECT_EQ(forks, 1);
    EXPECT_EQ(exits, 2);
    // The sleep is one interval of its length (and no shorter), off by choice.
    std::uint64_t longest = 0;
    for (const recording::Switch& row : log.switches) {
        if (row.tid == sleeper && row.preempted == 0) {
            longest = std::max(longest, row.duration);
        }
    }
    EXPECT_GE(longest, 200 * kMillisecond);
    EXPECT_LT(longest, 5000 * kMillisecond);
}

TEST_F(RecordTest, MemoryTakenFromTheSystemIsToldByThread) {
    const std::string loop =
        "import mmap, os; os.write(1, b''); [mmap.mmap(-1, 1 << 22, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close() "
        "for i in range(500)]";
    RecordOutcome outcome;
    const Log log =
        record_and_read(shell("command -v python3 >/dev/null || exit 9; exec python3 -c \"" + loop + "\""), outcome);
    if (outcome.exit_status() == 9 || outcome.switches == 0) {
        GTEST_SKIP() << "no python3, or no kernel records here";
    }
    const auto large = std::count_if(log.mappings.begin(), log.mappings.end(), [](const recording::Mapping& row) {
        return row.bytes >= std::uint64_t{1} << 22U && row.pid == row.tid;
    });
    EXPECT_GE(large, 500);
    EXPECT_LE(large, 700);  // beside what the interpreter takes for itself
}

TEST_F(RecordTest, DurationEndsTheProgramAndThoseThatWillNot) {
    RecordOptions options = shell("exec sleep 60");
    options.duration_ns = 100 * kMillisecond;
    RecordOutcome outcome;
    record_and_read(options, outcome);
    EXPECT_EQ(outcome.exit_status(), 128 + SIGTERM);
    EXPECT_EQ(outcome.reason, EndReason::kDuration);
    EXPECT_GE(outcome.duration_ns, 100 * kMillisecond);

    RecordOptions stubborn = shell("trap '' TERM; while :; do sleep 0.05; done");
    stubborn.duration_ns = 100 * kMillisecond;
    stubborn.grace_ns = 100 * kMillisecond;
    record_and_read(stubborn, outcome);
    EXPECT_EQ(outcome.exit_status(), 128 + SIGKILL);
    EXPECT_EQ(outcome.reason, EndReason::kDuration);

    RecordOptions early = shell("exit 4");
    early.duration_ns = 60'000 * kMillisecond;
    record_and_read(early, outcome);
    EXPECT_EQ(outcome.exit_status(), 4);
    EXPECT_EQ(outcome.reason, EndReason::kEnded);
}

TEST_F(RecordTest, RefusalsLeaveNothingBehind) {
    const auto kind = [](const RecordOptions& options) {
        const auto result = record(options);
        return result ? ErrorKind::kInternal : result.error().kind;
    };
    RecordOptions options = shell("exit 0");
    options.events = {"no-such-event"};
    EXPECT_EQ(kind(options), ErrorKind::kUnknownEvent);
    options = shell("exit 0");
    options.command = {"/no/such/program"};
    EXPECT_EQ(kind(options), ErrorKind::kNotFound);
    options.command = {STATIC_PROGRAM};
    EXPECT_EQ(kind(options), ErrorKind::kNotRunnable);
    options.command = {};
    EXPECT_EQ(kind(options), ErrorKind::kUsage);
    // Passes every check and cannot be started all the same.
    options = shell("exit 0");
    options.command.push_back(std::string(200'000, 'x'));
    EXPECT_EQ(kind(options), ErrorKind::kNotRunnable);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));

    std::filesystem::create_directory("there.kymo");
    options = shell("exit 0");
    options.output = "there.kymo";
    EXPECT_EQ(kind(options), ErrorKind::kOutputExists);
    EXPECT_TRUE(std::filesystem::is_empty("there.kymo"));
}

TEST_F(RecordTest, NoRoomForTheLogIsToldBeforeTheStart) {
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto result = record(shell("touch started"));
        _exit(!result && result.error().kind == ErrorKind::kNoSpace ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_FALSE(std::filesystem::exists("started"));
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RecordTest, WithoutPerformanceEventsTheRunIsRecordedAndTheLackTold) {
    const pid_t child = fork();
    if (child == 0) {
        const std::array<sock_filter, 4> code{{
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        }};
        const sock_fprog program{code.size(), const_cast<sock_filter*>(code.data())};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
            _exit(90);
        }
        RecordOptions options = shell("cp $KYMO_SESSION/session copy; exit 6");
        options.output = "barred.kymo";
        const auto outcome = record(options);
        _exit(outcome && !outcome->missing.empty() ? outcome->exit_status() : 91);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 6);
    const Log log = read_log("barred.kymo");
    EXPECT_FALSE(log.missing.empty());
    EXPECT_EQ(log.ends.size(), 1U);
    EXPECT_TRUE(log.switches.empty());
    std::ifstream session("copy");
    const std::string text((std::istreambuf_iterator<char>(session)), std::istreambuf_iterator<char>());
    EXPECT_THAT(text, testing::HasSubstr("\nmechanism timers\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nevent system-time ns count 0 "));
}

TEST_F(RecordTest, TheSessionSaysWhatWasAsked) {
    RecordOptions options = shell("echo $$ > pid; cp $KYMO_SESSION/session copy");
    options.events = {"task-clock:freq=500"};
    options.max_bytes = 12'345'678;
    options.follow = false;
    options.signal = SIGUSR2;
    RecordOutcome outcome;
    record_and_read(options, outcome);
    std::ifstream session("copy");
    const std::string text((std::istreambuf_iterator<char>(session)), std::istreambuf_iterator<char>());
    std::string pid;
    std::ifstream("pid") >> pid;
    EXPECT_THAT(text, testing::HasSubstr("\npid " + pid + "\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nmax-bytes 12345678\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nfollow 0\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nsignal 12\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nlibrary " NOTE_MONITOR "\n"));
    EXPECT_THAT(text, testing::HasSubstr("\nevent task-clock ns frequency 500 "));
}

}  // namespace
}  // namespace kymo::launch
