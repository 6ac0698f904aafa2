// Statistics of a process's threads that ended early, for new ones: whether such threads spend
// time in the kernel, and whether they are switched often. A thread that lives for less than some samples cannot find
// that out itself.
//
// Pure arithmetic on the thread's clock, ns. Any thread may call it.
#pragma once

#include "monitor/sampling/tick_trigger.h"

#include <atomic>
#include <cstdint>

namespace kymo::monitor {

class EndedThreads {
  public:
    static constexpr std::uint64_t kShort = 20'000'000;    // ns; longer ones decide for themselves (kernel_ticks.h)
    static constexpr std::uint64_t kEnough = 100'000'000;  // ns, the basis of a decision

    // A thread has ended after so much of its clock, so many switches and samples, one every `period`.
    void add(std::uint64_t clock, std::uint64_t switches, std::uint64_t samples, std::uint64_t period) {
        if (clock < kShort) {
            clock_.fetch_add(clock, std::memory_order_relaxed);
            switches_.fetch_add(switches, std::memory_order_relaxed);
            sampled_.fetch_add(samples * period, std::memory_order_relaxed);
        }
    }
    // More often than a clock of their own is worth (tick_trigger.h).
    bool were_switched_often() const {
        const std::uint64_t clock = clock_.load(std::memory_order_relaxed);
        return clock >= kEnough && TickTrigger::is_often(switches_.load(std::memory_order_relaxed), clock);
    }
    // More than a twentieth of their time passed in the kernel, where no samples come.
    bool spent_system_time() const {
        const std::uint64_t clock = clock_.load(std::memory_order_relaxed);
        return clock >= kEnough && sampled_.load(std::memory_order_relaxed) < clock - clock / 20;
    }
    void clear() {
        clock_.store(0, std::memory_order_relaxed);
        switches_.store(0, std::memory_order_relaxed);
        sampled_.store(0, std::memory_order_relaxed);
    }

  private:
    std::atomic<std::uint64_t> clock_{0};
    std::atomic<std::uint64_t> switches_{0};
    std::atomic<std::uint64_t> sampled_{0};
};

}  // namespace kymo::monitor
