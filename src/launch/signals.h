// The parent's signals while the program runs: taken through a descriptor, and passed on to the program.
//
// Which signals are passed on:
// - INT, QUIT, TSTP, WINCH: from the terminal (Ctrl-C, Ctrl-\, Ctrl-Z, resize) the kernel sends them to the whole
//   foreground group, so the program has its own already: not passed on. From a process (kill): passed on.
// - TERM, HUP, USR1, USR2, ALRM, CONT: passed on. (HUP of a closing terminal reaches both; a second one is
//   harmless.)
// - CHLD: the program's change of state.
// No signal ends the parent: it stays until the program is gone. When job control stops the program (TSTP, TTIN,
// TTOU) the parent stops too, so that the shell sees it; when the parent is continued it continues the program.
//
// One object at a time in a process; signal masks are per thread, so it is made and destroyed on the main thread.
#pragma once

#include <csignal>
#include <sys/signalfd.h>
#include <sys/types.h>

namespace kymo::launch {

class SignalWatch {
  public:
    SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;
    ~SignalWatch();

    [[nodiscard]] int descriptor() const { return descriptor_; }
    // The mask that the program inherits.
    [[nodiscard]] const sigset_t& mask_before() const { return mask_before_; }
    [[nodiscard]] const struct sigaction& child_action_before() const { return child_action_before_; }

    // The next pending signal; false: none. Does not wait.
    bool next(signalfd_siginfo& signal);

  private:
    int descriptor_ = -1;
    sigset_t mask_before_{};
    struct sigaction child_action_before_{};
};

// Whether this signal must be sent on to the program. Pure.
bool is_passed_on(const signalfd_siginfo& signal);

// Whether the signal requests the run's end (INT, TERM, HUP, QUIT), whatever its origin.
bool asks_to_end(const signalfd_siginfo& signal);

}  // namespace kymo::launch
