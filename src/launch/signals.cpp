#include "launch/signals.h"

#include <unistd.h>

namespace kymo::launch {
namespace {

constexpr int kWatched[] = {SIGINT,  SIGQUIT,  SIGTERM, SIGHUP,  SIGUSR1, SIGUSR2,
                            SIGALRM, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};

}  // namespace

SignalWatch::SignalWatch() {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : kWatched) {
        sigaddset(&watched, signal);
    }
    // With SIGCHLD ignored (some parents leave it so) the program's exit status would be lost.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &child_action_before_);
    sigprocmask(SIG_BLOCK, &watched, &mask_before_);
    descriptor_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalWatch::~SignalWatch() {
    if (descriptor_ >= 0) {
        // Pending signals were meant for a run that is over.
        signalfd_siginfo ignored{};
        while (next(ignored)) {
        }
        close(descriptor_);
    }
    sigaction(SIGCHLD, &child_action_before_, nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool SignalWatch::next(signalfd_siginfo& signal) {
    return read(descriptor_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal);
}

bool is_passed_on(const signalfd_siginfo& signal) {
    switch (signal.ssi_signo) {
        case SIGINT:
        case SIGQUIT:
        case SIGTSTP:
        case SIGWINCH:
            return signal.ssi_code != SI_KERNEL;
        case SIGCHLD:
            return false;
        default:
            return true;
    }
}

bool asks_to_end(const signalfd_siginfo& signal) {
    return signal.ssi_signo == SIGINT || signal.ssi_signo == SIGTERM || signal.ssi_signo == SIGHUP ||
           signal.ssi_signo == SIGQUIT;
}

}  // namespace kymo::launch
