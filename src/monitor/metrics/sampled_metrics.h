// The program's own metrics as events: what each has counted since the thread's sample before is a further delta of
// every sample, behind those of the session's events.
//
// Counters alone, which the program or a description of metrics has declared or counts by index, the first
// kMaxSampledMetrics of them. Timers' cells are left out: what they measure is added where they stop, and says
// nothing of the code that ran.
//
// When it acts: in handlers and under Quiet, in the thread whose cells they are; a few loads where nothing is new.
#pragma once

#include "base/exclusion.h"
#include "monitor/metrics/metric_values.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::monitor {

struct ThreadState;

class SampledMetrics {
  public:
    // Present values of the thread's cells. `is_own`: the calling thread's, which may meet metrics that are new.
    MetricValues read(ThreadState& thread, bool is_own);
    // What has been counted between the last call and `now`; 0 where measurement was off meanwhile,
    // and of what the program has set back.
    static void deltas_until(ThreadState& thread, const MetricValues& now, bool was_off, std::uint64_t* deltas);
    // What the thread has counted in all, as far as `now`: the deltas so far, and those since. Returns how many.
    static std::size_t totals_until(const ThreadState& thread, const MetricValues& now, std::uint64_t* totals);
    // The index of the first one's `event` row.
    static std::size_t first_event();

    void after_fork();

  private:
    void find_new(const std::uint64_t* cells);
    void add(std::uint32_t cell, std::string_view name, std::string_view unit);

    Lock lock_;                              // around what is new
    std::atomic<std::uint32_t> count_{0};    // of cell_
    std::atomic<std::uint32_t> seen_{0};     // entries of the segment's schema
    std::atomic<std::uint32_t> indexed_{0};  // bit i: the cell of that index counts
    std::uint32_t cell_[kMaxSampledMetrics] = {};
    bool is_full_ = false;
};

extern SampledMetrics sampled_metrics;

}  // namespace kymo::monitor
