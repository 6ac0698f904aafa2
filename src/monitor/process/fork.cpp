// A forked child measures itself from the start: its counters, its file, its own stream. vfork is not changed: the
// child borrows the parent's memory until it execs, and every entry point detects that the process is another one.

#include "base/exclusion.h"
#include "monitor/interpose/real.h"
#include "monitor/process/life.h"

#include <pthread.h>
#include <unistd.h>

namespace {

void in_child() {
    using kymo::monitor::process;
    if (process.running() && !process.is_this_process()) {
        const kymo::Quiet quiet;
        kymo::monitor::after_fork();
    }
}

kymo::monitor::Real<pid_t (*)()> real_bare_fork{"_Fork"};

__attribute__((constructor)) void watch_forks() {
    pthread_atfork(nullptr, nullptr, in_child);
    real_bare_fork.get();  // may be called from a signal handler
}

}  // namespace

// fork() without the handlers that libraries have set, this one's included.
KYMO_INTERPOSE pid_t _Fork() noexcept {
    const pid_t child = real_bare_fork.get()();
    if (child == 0) {
        in_child();
    }
    return child;
}
