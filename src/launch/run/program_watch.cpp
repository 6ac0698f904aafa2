#include "launch/run/program_watch.h"

#include "base/time.h"
#include "launch/tracee.h"

#include <sys/wait.h>
#include <unistd.h>

namespace kymo::launch {

ProgramWatch::ProgramWatch(pid_t program, SignalWatch& signals, const TimeLimit& limit)
    : program_(program),
      signals_(signals),
      grace_ns_(limit.grace_ns),
      deadline_(limit.duration_ns != 0 ? monotonic_now().ns + limit.duration_ns : UINT64_MAX) {}

void ProgramWatch::take_signals() {
    signalfd_siginfo signal{};
    while (signals_.next(signal)) {
        if (is_passed_on(signal)) {
            kill(program_, static_cast<int>(signal.ssi_signo));
        }
        if (asks_to_end(signal) && reason_ == EndReason::kEnded) {
            reason_ = EndReason::kInterrupted;
        }
    }
}

void ProgramWatch::reap() {
    serve_traced_threads(program_);
    int status = 0;
    while (!is_gone_ && wait4(program_, &status, WNOHANG | WUNTRACED, &usage_) == program_) {
        if (!WIFSTOPPED(status)) {
            status_ = status;
            is_gone_ = true;
            // Only a run that ended in consequence counts as interrupted; a program may also ignore a signal.
            return;
        }
        const int by = WSTOPSIG(status);
        if (continue_tracee(program_, by)) {
            continue;
        }
        if (by == SIGTSTP || by == SIGTTIN || by == SIGTTOU) {
            kill(getpid(), SIGSTOP);
            kill(program_, SIGCONT);
        }
    }
}

void ProgramWatch::keep_time(std::uint64_t now) {
    if (now < deadline_ || is_gone_) {
        return;
    }
    if (!is_asked_to_end_) {
        is_asked_to_end_ = true;
        reason_ = EndReason::kDuration;
        kill(program_, SIGTERM);
        kill(program_, SIGCONT);  // a stopped program could not end
        deadline_ = now + grace_ns_;
    } else {
        kill(program_, SIGKILL);
        deadline_ = UINT64_MAX;
    }
}

}  // namespace kymo::launch
