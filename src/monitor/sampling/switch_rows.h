// The rows of threads that keep the records of their own switches (sampling/own_switches.h): as the parent writes
// them of whole process trees (launch/run_log.cpp), so that readers need not distinguish the two.
//
// All go into the process's stream: the order of rows decides to which life of a thread's number a switch belongs.
#pragma once

#include "monitor/part.h"
#include "recording/tables/tasks.h"

#include <atomic>

namespace kymo::monitor {

class SwitchRows : public Part {
  public:
    void thread_begin(ThreadState& thread);
    static void thread_end(ThreadState& thread);
    void after_fork(ThreadState* own);

    // Writes what has arrived. In the thread, marked busy, or while it does not run; after announce().
    static void write(ThreadState& thread);
    // That the thread lives, or has ended; then also an absence from which it has not come back.
    static void write_life(const ThreadState& thread, std::uint64_t time, recording::TaskChange change);

  private:
    std::atomic<bool> told_{false};  // that some threads have no records
};

extern SwitchRows switch_rows;

}  // namespace kymo::monitor
