// The time identity: between two samples of a stream, wall time = user + system + off-CPU, exactly.
//
// Processor time in the interval is the change of task-clock; off-CPU is the rest. Of the processor time,
// system time is what the event "system-time" says, where there is one. Otherwise the sampling event is
// task-clock with a period and does not see the kernel: since its last sample at most one period was
// spent in the program, and what task-clock adds beyond is system time (ticks that fell into the kernel
// deliver no sample), unless it is less than half a period: samples come late by some microseconds, and where none is
// missing all of it was spent in the program. This holds on average, not for a single interval. Where task-clock is
// not what samples (another event is), the two are not split and all of it counts as user time. Samples at the
// kernel's tick tell by themselves whether the kernel was at work, and stand for all of the processor time since the
// last one, on average. If the samples of an interval were made one (Sample::samples), it had as many periods.
//
// A stream's first period may be shorter than the others. The kernel's timer goes on with it until a sample is
// delivered: one after several of them says that the ticks before it fell into the kernel.
//
// The two clocks are read a moment apart, so that an interval's processor time may exceed its wall time by some
// hundred nanoseconds: that is owed, and counted as soon as there is room. No part is ever negative.
#pragma once

#include <cstdint>
#include <optional>

namespace kymo::spacetime {

struct Interval {
    std::uint64_t end = 0;                          // the sample's time, ns
    std::optional<std::uint64_t> task_clock = {};   // its change, ns; none: the stream has no such event
    std::optional<std::uint64_t> system_time = {};  // its change, ns; none: no such event
    bool is_tick = false;                           // the interval ends with a sample of task-clock
    bool at_tick = false;                           // which was taken at the kernel's tick
    bool in_kernel = false;                         // which found the kernel at work
    bool after_pause = false;                       // the counters were off at its start
    std::uint64_t samples = 1;  // so many samples of the event came in it, the last one at its end
};

struct Split {
    std::int64_t user = 0;
    std::int64_t system = 0;
    std::int64_t off_cpu = 0;
    std::int64_t paused = 0;  // measurement was switched off by the program
    bool by_tick = false;     // user and system by where a tick of the kernel's found the thread: right in sum alone
    bool operator==(const Split&) const = default;
};

// Whether a sample after so much of a thread's clock is the first that was due, with such a first period. Samples
// come late by some 20 µs on virtual machines.
bool is_first_due(std::uint64_t clock, std::uint64_t first_period);

// Splits a stream's intervals in the order of time. One that ends before the last is empty.
class TimeSplitter {
  public:
    // `tick_period`: ns of task-clock between two of its samples; 0 where it does not sample.
    // `first_period`: until the first of them, if that is another one; else 0.
    TimeSplitter(std::uint64_t begin, std::uint64_t tick_period, std::uint64_t first_period = 0)
        : last_(begin),
          period_(tick_period),
          first_period_(first_period),
          budget_(first_period != 0 ? first_period : tick_period) {}

    // The parts add up to interval.end − the last interval's end; none is negative.
    Split split(const Interval& interval);

    // What follows is not the last tick's: it is program's time until that is known better.
    void forget_tick() {
        at_tick_ = true;
        in_kernel_ = false;
    }

    std::uint64_t last() const { return last_; }

  private:
    std::uint64_t user_of(const Interval& interval, std::uint64_t on, bool* by_tick);
    std::uint64_t user_of_first(const Interval& interval, std::uint64_t on);

    std::uint64_t last_;
    std::uint64_t period_;
    std::uint64_t first_period_;     // 0 once it is over
    std::uint64_t first_clock_ = 0;  // processor time in it
    std::uint64_t budget_;           // user time that may still have passed since the last tick
    std::uint64_t owed_ = 0;         // processor time not counted yet
    bool at_tick_ = false;           // the last tick was the kernel's
    bool in_kernel_ = false;         // which found the kernel at work
};

}  // namespace kymo::spacetime
