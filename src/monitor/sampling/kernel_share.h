// Whether the kernel's tick has found a thread in the kernel, by the kernel's own account.
//
// The kernel counts its ticks by where they find the thread, and divides the thread's time in the same proportion
// (cputime_adjust in its kernel/sched/cputime.c): the system's part of all rises with a tick in the kernel, and falls
// with one in the program.
#pragma once

#include "monitor/clock.h"

#include <cstdint>
#include <sys/resource.h>

namespace kymo::monitor {

class KernelShare {
  public:
    void begin(const rusage& usage) {
        user_ns_ = nanoseconds(usage.ru_utime);
        system_ns_ = nanoseconds(usage.ru_stime);
    }
    // Called at a tick: whether it found the kernel at work.
    bool has_risen(const rusage& usage) {
        const double before = share();
        begin(usage);
        const double now = share();
        return now > before || (now == before && now > 0.5);
    }

  private:
    double share() const { return static_cast<double>(system_ns_) / static_cast<double>(user_ns_ + system_ns_ + 1); }

    std::uint64_t user_ns_ = 0;
    std::uint64_t system_ns_ = 0;
};

}  // namespace kymo::monitor
