// Whole runs with a stand-in for the monitor: how programs end, what is kept of it, and what is refused before the
// start.
#include "launch/record.h"

#include "launch/run_log.h"
#include "recording/reader.h"
#include "temporary_folder.h"

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

using recording::on;

constexpr std::uint64_t kMillisecond = 1'000'000;

// What a test asks of launch.krec.
struct Log {
    std::vector<std::string> commands;
    std::vector<recording::RunEnd> ends;
    std::vector<std::string> missing;
    std::vector<std::uint64_t> clock_pairs;
    std::vector<recording::Task> tasks;  // names not kept
    std::vector<std::string> task_names;
    std::vector<recording::Switch> switches;
    std::vector<recording::Mapping> mappings;
    std::uint64_t damages = 0;
};

Log read_log(const std::filesystem::path& folder) {
    Log log;
    const auto file = recording::File::open(folder / kLaunchFile);
    EXPECT_TRUE(file) << file.error().what;
    const auto report = file->scan(
        on<recording::Run>([&](StreamId, const recording::Run& row) { log.commands.emplace_back(row.command); }),
        on<recording::RunEnd>([&](StreamId, const recording::RunEnd& row) { log.ends.push_back(row); }),
        on<recording::Unavailable>(
            [&](StreamId, const recording::Unavailable& row) { log.missing.emplace_back(row.what); }),
        on<recording::ClockPair>(
            [&](StreamId, const recording::ClockPair& row) { log.clock_pairs.push_back(row.error); }),
        on<recording::Task>([&](StreamId, const recording::Task& row) {
            log.tasks.push_back(row);
            log.task_names.emplace_back(row.name);
        }),
        on<recording::Mapping>([&](StreamId, const recording::Mapping& row) { log.mappings.push_back(row); }),
        on<recording::Switch>([&](StreamId, const recording::Switch& row) { log.switches.push_back(row); }));
    EXPECT_TRUE(report);
    log.damages = report->damages;
    return log;
}

class RecordTest : public testing::Test {
  protected:
    static RecordOptions shell(const std::string& script) {
        RecordOptions options;
        options.command = {"/bin/sh", "-c", script};
        options.monitor = NOTE_MONITOR;
        return options;
    }

    // Records and reads back what every run must have.
    Log record_and_read(const RecordOptions& options, RecordOutcome& outcome) {
        auto result = record(options);
        EXPECT_TRUE(result) << result.error().what;
        if (!result) {
            return {};
        }
        outcome = std::move(*result);
        Log log = read_log(outcome.recording);
        EXPECT_EQ(log.damages, 0U);
        EXPECT_EQ(log.commands.size(), 1U);
        EXPECT_EQ(log.clock_pairs.size(), 2U);
        EXPECT_EQ(log.ends.size(), 1U);
        if (!log.ends.empty()) {
            EXPECT_EQ(log.ends[0].wait_status, static_cast<std::uint64_t>(outcome.wait_status));
            EXPECT_EQ(log.ends[0].reason, static_cast<std::uint64_t>(outcome.reason));
        }
        return log;
    }

    TemporaryFolder folder_;
};

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

// Sends `signal` to a process once the program of a run has written a file, that is, is at work.
class Later {
  public:
    Later(pid_t to, int signal, const std::filesystem::path& ready) {
        helper_ = fork();
        if (helper_ == 0) {
            for (int i = 0; i < 2000 && access(ready.c_str(), F_OK) != 0; ++i) {
                usleep(5000);
            }
            kill(to, signal);
            _exit(0);
        }
    }
    Later(const Later&) = delete;
    Later& operator=(const Later&) = delete;
    ~Later() { waitpid(helper_, nullptr, 0); }

  private:
    pid_t helper_;
};

TEST_F(RecordTest, SignalsArePassedOn) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
        std::filesystem::remove("ready");
        const Later later(getpid(), signal, folder_.path() / "ready");
        RecordOptions options = shell(
            "trap 'exit 40' INT TERM HUP QUIT; trap 'exit 41' USR1 USR2; touch ready; "
            "while :; do sleep 0.02; done");
        RecordOutcome outcome;
        record_and_read(options, outcome);
        const bool ends = signal != SIGUSR1 && signal != SIGUSR2;
        EXPECT_EQ(outcome.exit_status(), ends ? 40 : 41) << signal;
        EXPECT_EQ(outcome.reason, ends ? EndReason::kInterrupted : EndReason::kEnded) << signal;
    }
}

// Ctrl-C is a SIGINT to the whole foreground group, sent by the kernel. A pseudo-terminal of its own makes a real
// one.
TEST_F(RecordTest, ControlCLeavesAValidRecordingAndIsNotDoubled) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(grantpt(terminal), 0);
    ASSERT_EQ(unlockpt(terminal), 0);
    const std::string name = ptsname(terminal);
    const pid_t session = fork();
    if (session == 0) {
        setsid();
        const int side = open(name.c_str(), O_RDWR);  // becomes the controlling terminal
        if (side < 0) {
            _exit(90);
        }
        // Counts its interrupts; a second one within half a second would make two.
        RecordOptions options = shell(
            "n=0; trap 'n=$((n+1))' INT; touch ready; while [ $n = 0 ]; do sleep 0.02; done; "
            "sleep 0.3; exit $((50+n))");
        options.output = "ctrl-c.kymo";
        const auto outcome = record(options);
        if (!outcome || outcome->reason != EndReason::kInterrupted) {
            _exit(91);
        }
        _exit(outcome->exit_status());
    }
    for (int i = 0; i < 2000 && access("ready", F_OK) != 0; ++i) {
        usleep(5000);
    }
    ASSERT_EQ(write(terminal, "\003", 1), 1);
    int status = 0;
    ASSERT_EQ(waitpid(session, &status, 0), session);
    close(terminal);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 51);
    const Log log = read_log("ctrl-c.kymo");
    ASSERT_EQ(log.ends.size(), 1U);
    EXPECT_EQ(log.ends[0].reason, static_cast<std::uint64_t>(EndReason::kInterrupted));
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

TEST_F(RecordTest, TheProgramGetsItsOwnSignalStateBack) {
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    RecordOptions options = shell("");
    options.command = {"/bin/cp", "/proc/self/status", "state"};  // a shell would unblock what it finds blocked
    RecordOutcome outcome;
    record_and_read(options, outcome);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    std::ifstream state("state");
    std::string name;
    std::string mask;
    while (state >> name >> mask && name != "SigBlk:") {
    }
    EXPECT_EQ(name, "SigBlk:");
    EXPECT_EQ(std::stoull(mask, nullptr, 16), 1ULL << (SIGUSR1 - 1));
}

}  // namespace
}  // namespace kymo::launch
