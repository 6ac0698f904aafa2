// Time for which a stream's processor was taken away without any report: by the host of a virtual machine
// that reports no steal, or by firmware. The kernel counts it as the thread's own, and code looks slower than it is.
//
// The timer that samples fires after each period of the thread's clock, on a grid. It comes late where the processor
// did not run when it was due. So the part of the ticks that came late is the part of the time for which the
// processor was away, whatever the lengths of its absences, as long as they keep no step with the ticks; each late
// tick stands for one period. Of n late ticks the standard error is about √n periods.
//
// A tick is taken for late only when a later one comes early against it: the grid has not moved. It does move where
// the timer is set again (after switches): then three in a row are late by the same, and what is open is dropped. A
// late tick is therefore known some ticks later.
//
// Several ticks may have been due when a late one comes: the processor was away for all of them, or the thread was in
// the kernel, where ticks deliver no sample. Where more than a tenth of the ticks that came in time had others due
// before them, that is the kernel's doing, and a late one stands for itself alone.
//
// Where timers are served with the kernel's own tick (thread timers), they are never on a grid: not to be used there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    // Later by less than a quarter of a period, and by at most so much, is the kernel's own doing (interrupts that
    // are served first), or the host's on behalf of this very code (the pages of a virtual machine): seen up to 0.1
    // ms.
    static constexpr std::int64_t kLate = 150'000;            // ns
    static constexpr std::int64_t kEarly = 100'000;           // ns, or an eighth: earlier by less is in time
    static constexpr std::int64_t kShortestPeriod = 120'000;  // ns; shorter ones cannot be analysed

    // `period`: ns of the thread's clock; 0: no ticks.
    explicit LateTicks(std::uint64_t period)
        : period_(static_cast<std::int64_t>(period)),
          least_(std::min(kLate, period_ / 4)),
          early_(std::min(kEarly, period_ / 8)) {}

    // A tick at a time, after so much of the thread's clock.
    void add(std::uint64_t time, std::uint64_t task_clock);
    // Measurement was off: the next tick's grid is not known.
    void pause();
    // Those known until now, in time.
    std::vector<TakenTime> take();

  private:
    static constexpr std::int64_t kSame = 5'000;  // ns; a grid is no more exact

    std::int64_t period_;
    std::int64_t least_;     // what is late
    std::int64_t early_;     // what is not
    std::int64_t late_ = 0;  // of the last tick
    int same_ = 0;           // ticks in a row that were as late as the one before
    bool has_begun_ = false;
    std::uint64_t in_time_ = 0;    // ticks
    std::uint64_t skipping_ = 0;   // of these, with others due before them
    std::vector<TakenTime> open_;  // late ones that no early one has confirmed
    std::vector<TakenTime> taken_;
};

}  // namespace kymo::spacetime
