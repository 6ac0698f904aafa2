// Threads under ptrace(2): every signal stops a traced thread for its tracer, so sampling signals would appear in
// the output of a debugger or strace, or stop a program forever that is traced by its parent. Such a thread is
// counted, but not sampled, and the recording has a note of it.
//
// Detected are PTRACE_TRACEME, by the C library's ptrace() or by syscall(), and at the start of a program, or when
// a thread has stopped itself for it, a tracer that belongs to what is recorded (or Kymo itself). A tracer from
// outside (`strace -f kymo record …`, `gdb -p`) changes nothing: its user traces Kymo's own work.
#pragma once

#include "monitor/part.h"

namespace kymo::monitor {

class Tracing : public Part {
  public:
    // Looks for a tracer. Cost: one small file of /proc, some 13 µs.
    static bool begin();
    // Mutes the thread if it is traced, before its counters are opened. Cost: none in a process without a known
    // traced thread.
    static void thread_begin(ThreadState& thread);
};

extern Tracing tracing;

}  // namespace kymo::monitor
