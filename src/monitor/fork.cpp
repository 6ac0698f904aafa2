// A forked child measures itself anew: its counters, its file, its own stream. vfork is left alone: the child borrows
// the parent's memory until it execs, and every entry point sees that the process is another one.

#include "monitor/process.h"

#include <pthread.h>

namespace {

void in_child() {
    using kymo::monitor::process;
    if (process.running()) {
        const kymo::monitor::Quiet quiet;
        process.after_fork();
    }
}

__attribute__((constructor)) void watch_forks() {
    pthread_atfork(nullptr, nullptr, in_child);
}

}  // namespace
