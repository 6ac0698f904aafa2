#include "spacetime/load/late_ticks.h"

#include <algorithm>
#include <cstdlib>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLongestClock = std::uint64_t{1}
                                        << 45U;  // ns, ten hours: longer is no clock of a sampled thread
constexpr int kMoved = 2;

}  // namespace

void LateTicks::pause() {
    has_begun_ = false;
    late_ = 0;
    same_ = 0;
    open_.clear();
}

void LateTicks::add(std::uint64_t time, std::uint64_t task_clock) {
    if (period_ < 4 * kLate || taken_.size() >= kMostKept) {
        return;  // what is late by less than a tick's neighbourhood cannot be told
    }
    if (!std::exchange(has_begun_, true)) {
        return;  // the first one's grid begins before the stream
    }
    // On the grid, the next tick is due a period less the last one's lateness after it. Ticks that fall into the
    // kernel deliver no sample: several may have been due.
    const std::int64_t since_due = late_ + static_cast<std::int64_t>(std::min(task_clock, kLongestClock));
    std::int64_t due = since_due / period_;
    std::int64_t late = since_due % period_;
    if (late > period_ - kLate) {
        late = 0;  // the grid drifts
        ++due;
    }
    same_ = late > kLate && std::abs(late - late_) < kSame ? same_ + 1 : 0;
    if (due == 0 || same_ == kMoved) {
        late_ = 0;
        same_ = 0;
        open_.clear();
        return;  // the grid has moved
    }
    if (late_ - late > kLate) {
        taken_.insert(taken_.end(), open_.begin(), open_.end());
        open_.clear();
    }
    late_ = late;
    if (late > kLate && open_.size() < kMostKept) {
        open_.push_back({time, due * period_});
    } else if (late <= kLate) {
        open_.clear();
        late_ = late < kLate / 2 ? 0 : late;  // or drifts the other way
    }
}

}  // namespace kymo::spacetime
