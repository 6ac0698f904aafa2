// Marks of a thread while it works for the monitor outside its handler.
#pragma once

#include "monitor/process/process.h"
#include "monitor/threads/thread_state.h"

namespace kymo::monitor {

// This thread writes to its own stream outside the handler: the handler stays out, and the process does not close its
// file meanwhile. may_write() is false when measurement is over, or the thread is in here already.
class Busy {
  public:
    explicit Busy(ThreadState& thread) : thread_(thread), entered_(thread.busy.exchange(1) == 0) {}
    ~Busy() {
        if (entered_) {
            thread_.busy.store(0, std::memory_order_release);
        }
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    // Checked after busy is set, because the thread that ends the process sets the phase first and then checks
    // busy.
    bool may_write() const { return entered_ && process.running(); }

  private:
    ThreadState& thread_;
    bool entered_;
};

// The monitor works in this thread outside the handler, for long enough to be sampled itself: made before Quiet,
// so that it ends after it. An overflow meanwhile is handled as soon as signals are unblocked, as a sample of this
// work, on the path that led to it (sampling/handler.cpp).
class OwnWork {
  public:
    explicit OwnWork(ThreadState& thread) : thread_(thread), begin_(clock_now()) {
        thread_.own_work_end = ~std::uint64_t{0};
        thread_.own_work_begin = begin_;
        is_measured_ = ++thread_.own_works % kOneOf == 0;
    }
    ~OwnWork() {
        const std::uint64_t end = clock_now();
        thread_.own_work_end = end;
        thread_.monitor_ns += end - begin_;
        thread_.taken_ns += end - begin_;
        thread_.own_work_ns += end - begin_;
    }
    // Runs `call`, which is a system call or little else, and counts its time as kernel time. One piece of work in
    // kOneOf is measured, for all of them, because the readings cost too much.
    template <typename Call>
    auto in_kernel(const Call& call) const {
        if (!is_measured_) {
            return call();
        }
        const std::uint64_t begin = clock_now();
        const auto result = call();
        thread_.own_system_ns += (clock_now() - begin) * kOneOf;
        return result;
    }
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;

  private:
    static constexpr std::uint32_t kOneOf = 16;

    ThreadState& thread_;
    std::uint64_t begin_;
    bool is_measured_ = false;
};

}  // namespace kymo::monitor
