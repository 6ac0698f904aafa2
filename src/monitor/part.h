// A part of the monitor: work of its own beside taking samples, with its own state and its own moments.
//
// Static, no virtual calls: a part is a class with one object, which implements those of the moments below that
// concern it, and inherits empty functions for the others. parts.h names all parts, in the order in which they
// act. A part's state for each thread is in ThreadState and is reset in thread_begin(), because states are reused.
#pragma once

#include "monitor/process/process.h"

namespace kymo::monitor {

struct ThreadState;

struct Part {
    // At the program's start, before main, with one thread; the session is known, rows can be written (except by
    // processes that may be short, process/log.h). False: this process cannot be measured.
    static bool begin() { return true; }
    // In the thread concerned, under Quiet: before it counts, and after its last rows.
    static void thread_begin(ThreadState& /*thread*/) {}
    static void thread_end(ThreadState& /*thread*/) {}
    // In a forked child, under Quiet, where only the forking thread is left: `own`, if it was measured. All threads
    // of the parent are in the registry still; what they held is copies. The thread begins again afterwards.
    static void after_fork(ThreadState* /*own*/) {}
    // Once, by the thread that ends the process, before its last row; after kExec perhaps again, for exec may fail.
    static void finish(Process::End /*how*/) {}
};

}  // namespace kymo::monitor
