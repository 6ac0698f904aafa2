// Samples and counts of every thread: installs the handler, opens, pauses and closes each thread's counters.
#pragma once

#include "monitor/part.h"
#include "monitor/sampling/counters.h"

namespace kymo::monitor {

class Sampling : public Part {
  public:
    // Installs the handler.
    static bool begin();
    // Opens the thread's counters; they begin to count with begin_counting(), or have begun if all but the
    // sampling one was put off, which saves that call.
    static void thread_begin(ThreadState& thread);
    // How the counters of a thread begin that the program creates. In that thread.
    static Beginning of_created_thread();
    static void begin_counting(ThreadState& thread);
    static void thread_end(ThreadState& thread);
    // The thread has ended with these values.
    static void add_ended(const ThreadState& thread, const CounterValues& values);
    static void after_fork(ThreadState* own);
    // Reports whether the handler is still installed.
    static void finish(Process::End how);

    // In the handler, after a thread's first overflow: opens what thread_begin() has put off.
    static void complete_counters(ThreadState& thread);

    // Measurement off and on, of all threads; under Quiet.
    static void pause();
    static void resume();
    // The process ends: stops all counting.
    static void stop();
};

extern Sampling sampling;

}  // namespace kymo::monitor
