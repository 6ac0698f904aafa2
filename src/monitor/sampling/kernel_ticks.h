// Finds the system calls that take a thread's system time.
//
// The sampling counter does not count in the kernel, so it takes no sample there: the thread's clock shows that there
// was system time, but not in which call. A timer of the thread's processor time, which the kernel checks at its
// tick, signals a thread that was in the kernel when it returns, at the instruction behind the call. That gives at
// most one look in 4 ms of system time (at 250 Hz) and needs no privilege. This class decides and keeps the account;
// counters.h sets the timer.
//
// `clock`: the value of the thread's counter, ns; `period`: of its samples.
#pragma once

#include "monitor/sampling/kernel_share.h"

#include <cstdint>
#include <sys/resource.h>
#include <ucontext.h>

namespace kymo::monitor {

class KernelTicks {
  public:
    enum class Choice : std::uint8_t { kAsItIs, kBegin, kEnd };

    static constexpr std::uint64_t kPeriod = 3'900'000;  // ns: a tick's length on most kernels, or a little less

    bool is_on() const { return is_on_; }
    // It has failed once, and is not tried again.
    void refuse() { is_refused_ = true; }

    // Counts a sample of the clock.
    void count_sample() { ++samples_; }
    // Decides by how much of the thread's time passed without a sample.
    Choice choose(std::uint64_t clock, std::uint64_t period);

    void begin(const rusage& usage) {
        is_on_ = true;
        account(usage);
    }
    // The thread's usage before the first signal of a timer: this one's, or the one that takes the thread's samples.
    void account(const rusage& usage) {
        share_.begin(usage);
        faults_ = static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
    }
    void end() { is_on_ = false; }

    // At the timer's signal, which found the thread at `context`: whether the tick found it in the kernel.
    bool found_kernel(const ucontext_t& context, const rusage& usage);

  private:
    bool is_on_ = false;
    bool is_refused_ = false;
    std::uint64_t window_clock_ = 0;  // at the last decision
    std::uint64_t samples_ = 0;       // since then
    KernelShare share_;
    std::uint64_t faults_ = 0;  // at the last look
};

}  // namespace kymo::monitor
