// Signals while a program is recorded: passed on, once, and its own state of them given back.
#include "record_fixture.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

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
