// Time for which a stream's processor was taken away without anybody saying so: by the host of a virtual machine
// that reports no steal, or by firmware. The kernel counts it as the thread's own, and code looks slower than it is.
//
// The timer that samples fires after each period of the thread's clock, on a grid. It comes late where the processor
// did not run when it was due. So the part of the ticks that came late is the part of the time for which the
// processor was away, whatever the lengths of its absences, as long as they keep no step with the ticks; each late
// tick stands for one period. Of n late ticks the standard error is about √n periods.
//
// A tick is taken for late only when a later one comes early against it: the grid has not moved. It does move where
// the timer is set anew (after switches): then three in a row are late by the same, and what is open is dropped. A
// late tick is therefore known some ticks later.
//
// Where timers are served with the kernel's own tick (thread timers), they are never on a grid: not to be used there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// A late tick.
struct TakenTime {
    std::uint64_t time = 0;  // when it came; what was taken ended then
    std::int64_t ns = 0;     // that it stands for
    bool operator==(const TakenTime&) const = default;
};

class LateTicks {
  public:
    // Of a stream no more are kept: 4 MiB.
    static constexpr std::size_t kMostKept = std::size_t{1} << 18U;
    // ns; later by less is the kernel's own doing (interrupts that are served first).
    static constexpr std::int64_t kLate = 30'000;

    // `period`: ns of the thread's clock; 0: no ticks.
    explicit LateTicks(std::uint64_t period) : period_(static_cast<std::int64_t>(period)) {}

    // A tick at a time, after so much of the thread's clock.
    void add(std::uint64_t time, std::uint64_t task_clock);
    // Measurement was off: the next tick's grid is not known.
    void pause();
    // Those known until now, in time.
    std::vector<TakenTime> take() { return std::exchange(taken_, {}); }

  private:
    static constexpr std::int64_t kSame = 5'000;  // ns; a grid is no more exact

    std::int64_t period_;
    std::int64_t late_ = 0;  // of the last tick
    int same_ = 0;           // ticks in a row that were as late as the one before
    bool has_begun_ = false;
    std::vector<TakenTime> open_;  // late ones that no early one has confirmed
    std::vector<TakenTime> taken_;
};

}  // namespace kymo::spacetime
