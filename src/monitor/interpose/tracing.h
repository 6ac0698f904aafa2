// Threads under ptrace(2): every signal stops a traced thread for its tracer, so sampling signals would show in what
// a debugger or strace sees, or stop a program for good that has asked its parent to trace it. Such a thread is
// counted, but not sampled, and the recording says so.
//
// Noticed are PTRACE_TRACEME, by the C library's ptrace() or by syscall(), and at the start of a program, or when a
// thread has stopped itself for it, a tracer that belongs to what is recorded (or Kymo itself). A tracer from outside
// (`strace -f kymo record …`, `gdb -p`) leaves everything as it is: whoever traces Kymo's work wants to see it.
#pragma once

#include "monitor/part.h"

namespace kymo::monitor {

class Tracing : public Part {
  public:
    // Looks for a tracer. Cost: one small file of /proc, some 13 µs.
    static bool begin();
    // Mutes the thread if it is traced, before its counters are opened. Cost: none in a process in which nobody is
    // known to be traced.
    static void thread_begin(ThreadState& thread);
};

extern Tracing tracing;

}  // namespace kymo::monitor
