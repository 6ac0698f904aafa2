#include "launch/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

signalfd_siginfo sent(int signal, int code) {
    signalfd_siginfo info{};
    info.ssi_signo = static_cast<std::uint32_t>(signal);
    info.ssi_code = code;
    return info;
}

TEST(Signals, TheTerminalsOwnAreNotDoubled) {
    for (const int signal : {SIGINT, SIGQUIT, SIGTSTP, SIGWINCH}) {
        EXPECT_FALSE(is_passed_on(sent(signal, SI_KERNEL))) << signal;
        EXPECT_TRUE(is_passed_on(sent(signal, SI_USER))) << signal;
    }
    for (const int signal : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT}) {
        EXPECT_TRUE(is_passed_on(sent(signal, SI_USER))) << signal;
    }
    EXPECT_FALSE(is_passed_on(sent(SIGCHLD, CLD_EXITED)));
    EXPECT_TRUE(asks_to_end(sent(SIGINT, SI_KERNEL)));
    EXPECT_FALSE(asks_to_end(sent(SIGUSR1, SI_USER)));
}

TEST(Signals, AreTakenWhileWatchedAndRestoredAfter) {
    sigset_t before;
    sigprocmask(SIG_SETMASK, nullptr, &before);
    {
        SignalWatch watch;
        kill(getpid(), SIGTERM);
        signalfd_siginfo info{};
        ASSERT_TRUE(watch.next(info));
        EXPECT_EQ(info.ssi_signo, static_cast<std::uint32_t>(SIGTERM));
        EXPECT_FALSE(watch.next(info));
        kill(getpid(), SIGTERM);  // comes too late to mean anything, and must not end us
    }
    sigset_t after;
    sigprocmask(SIG_SETMASK, nullptr, &after);
    for (int signal = 1; signal < 32; ++signal) {
        EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
    }
}

}  // namespace
}  // namespace kymo::launch
