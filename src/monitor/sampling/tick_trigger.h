// Which clock samples a thread: its own counter's, exactly after each period, or a timer that is checked at the
// kernel's tick, which costs nothing while the thread is switched to and fro.
//
// The kernel sets a thread's sampling clock again each time it is switched to a processor (13 µs on a virtual
// machine, which leaves the guest for it). bench/monitor/switch_bench.py measures both (docs/measurements.md). Here
// are the choice and the account; counters.h carries it out. `clock`: the value of the thread's counter, ns.
#pragma once

#include "monitor/sampling/kernel_share.h"

#include <cstdint>
#include <sys/resource.h>

namespace kymo::monitor {

class TickTrigger {
  public:
    enum class Choice : std::uint8_t { kAsItIs, kTick, kOverflow };

    // Thread clock a switch, ns. At some 13 µs a switch, the sampling clock costs 2.6 % then.
    static constexpr std::uint64_t kOften = 500'000;
    static bool is_often(std::uint64_t switches, std::uint64_t clock) { return switches > clock / kOften; }

    bool is_at_tick() const { return is_at_tick_; }
    // It has failed once, and is not tried again.
    void refuse() { is_refused_ = true; }
    bool is_refused() const { return is_refused_; }

    // Whether there is enough data to decide.
    bool is_decision_due(std::uint64_t clock) const;
    // By how often the thread was switched since the choice before.
    Choice choose(std::uint64_t clock, const rusage& usage);

    // Samples at ticks from now on; or not any more.
    void begin(std::uint64_t clock, const rusage& usage);
    void end() { is_at_tick_ = false; }

    // Whether a tick's sample is due; otherwise the signal, which may not be a tick's, has another purpose.
    bool is_sample_due(std::uint64_t clock, std::uint64_t period) const { return clock - clock_ >= period / 2; }
    // Takes a sample at a tick. True: it found the kernel at work.
    bool take(std::uint64_t clock, const rusage& usage);

  private:
    bool is_at_tick_ = false;
    bool is_refused_ = false;
    std::uint64_t window_clock_ = 0;  // at the last choice; and switches at that time
    std::uint64_t window_switches_ = 0;
    std::uint64_t clock_ = 0;  // of the last sample at a tick
    KernelShare share_;
};

}  // namespace kymo::monitor
