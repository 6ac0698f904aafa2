#include "spacetime/late_ticks.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 45U;  // ns, ten hours: longer is no clock of a sampled thread
constexpr int kMoved = 2;

}  // namespace

std::int64_t LateTicks::add(std::uint64_t task_clock) {
    if (period_ < 4 * kLate) {
        return 0;  // what is late by less than a tick's neighbourhood cannot be told
    }
    if (!std::exchange(has_begun_, true)) {
        return 0;  // the first one's grid begins before the stream
    }
    // On the grid, the next tick is due a period less the last one's lateness after it. Ticks that fall into the
    // kernel deliver no sample: several may have been due.
    const std::int64_t since_due = late_ + static_cast<std::int64_t>(std::min(task_clock, kMost));
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
        open_ = 0;
        return 0;  // the grid has moved
    }
    const std::int64_t taken = late_ - late > kLate ? std::exchange(open_, 0) : 0;
    late_ = late;
    if (late > kLate) {
        open_ += due * period_;
    } else {
        open_ = 0;
        late_ = late < kLate / 2 ? 0 : late;  // or drifts the other way
    }
    return taken;
}

}  // namespace kymo::spacetime
