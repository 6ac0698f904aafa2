// The program's own metrics as events: each one's count since the thread's previous sample is a further delta of
// every sample, behind those of the session's events.
//
// Only counters, which the program or a description of metrics has declared or counts by index, the first
// kMaxSampledMetrics of them. Timers' cells are left out: their time is added where they stop, which is unrelated
// to the code that ran.
//
// When it acts: in handlers and under Quiet, in the thread that owns the cells; a few loads if nothing is new.
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
    // Present values of the thread's cells. `is_own`: the calling thread's, which may find new metrics.
    MetricValues read(ThreadState& thread, bool is_own);
    // The counts between the last call and `now`; 0 if measurement was off meanwhile, and for a metric that the
    // program has reset.
    static void deltas_until(ThreadState& thread, const MetricValues& now, bool was_off, std::uint64_t* deltas);
    // The thread's total counts up to `now`: the deltas so far, and those since. Returns their number.
    static std::size_t totals_until(const ThreadState& thread, const MetricValues& now, std::uint64_t* totals);
    // The index of the first one's `event` row.
    static std::size_t first_event();

    void after_fork();

  private:
    void find_new(const std::uint64_t* cells);
    void add(std::uint32_t cell, std::string_view name, std::string_view unit);

    Lock lock_;                              // protects new entries
    std::atomic<std::uint32_t> count_{0};    // of cell_
    std::atomic<std::uint32_t> seen_{0};     // entries of the segment's schema
    std::atomic<std::uint32_t> indexed_{0};  // bit i: the cell of that index counts
    std::uint32_t cell_[kMaxSampledMetrics] = {};
    bool is_full_ = false;
};

extern SampledMetrics sampled_metrics;

}  // namespace kymo::monitor
