// The process's own counters: the kernel's total of every event over all threads, beside the sum over the
// threads.
//
// Totals that the kernel keeps of every process anyhow (getrusage) come from there. Migrations, which it lacks, are
// the sum of the threads'. For each other event one counter is inherited, opened before the second thread exists; by
// threads only, so that a forked child's events are not counted twice. An inherited counter costs every new thread
// about 5 µs, so events for which new threads open no counter have none.
#pragma once

#include "monitor/part.h"
#include "monitor/sampling/counters.h"

#include <atomic>

namespace kymo::monitor {

class ProcessCounters : public Part {
  public:
    bool begin();
    void after_fork(ThreadState* own);
    void close();

    // Adds the counts of a thread that ends.
    void add_ended(const CounterValues& values);
    // The sums of the threads that have ended, in session order.
    void read_ended(CounterValues& totals) const;
    // `totals`: the sums of all threads, replaced by the process's if known. Returns how many there are (0: not
    // known).
    std::uint32_t read(CounterValues& totals);

  private:
    void open();

    int counter_[events::kMaxEvents] = {};
    std::atomic<std::uint64_t> ended_[events::kMaxEvents] = {};
    CounterValues usage_before_;  // the process's usage when measurement began
};

extern ProcessCounters process_counters;

}  // namespace kymo::monitor
