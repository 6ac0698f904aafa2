// The process's own counters: the kernel's total of every event over all threads, beside the sum that the threads
// give.
//
// What the kernel keeps of every process anyhow (getrusage) is taken from there. Migrations, which it does not, are
// the sum of the threads'. For each other event one counter is inherited, opened before the second thread exists; by
// threads only, so that a forked child's events are not counted twice. An inherited counter costs every new thread
// about 5 µs, which is why those that threads are made without do without.
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

    // What a thread that ends has counted.
    void add_ended(const CounterValues& values);
    // The sums of the threads that have ended, in session order.
    void read_ended(CounterValues& totals) const;
    // `totals`: the sums of all threads, made the process's where that is known. Returns how many there are (0: not
    // known).
    std::uint32_t read(CounterValues& totals);

  private:
    void open();

    int counter_[events::kMaxEvents] = {};
    std::atomic<std::uint64_t> ended_[events::kMaxEvents] = {};
    CounterValues usage_before_;  // what the process had used up when measurement began
};

extern ProcessCounters process_counters;

}  // namespace kymo::monitor
