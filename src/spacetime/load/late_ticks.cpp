#include "spacetime/load/late_ticks.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kLongestClock = std::uint64_t{1}
                                        << 45U;  // ns, ten hours: longer is no clock of a sampled thread
constexpr int kMoved = 2;
constexpr std::uint64_t kManySkip = 10;  // one in so many

}  // namespace

void LateTicks::pause() {
    has_begun_ = false;
    late_ = 0;
    same_ = 0;
    open_.clear();
}

void LateTicks::add(std::uint64_t time, std::uint64_t task_clock) {
    if (period_ < kShortestPeriod || taken_.size() >= kMostKept) {
        return;  // less lateness than a tick's neighbourhood is not recognised
    }
    if (!std::exchange(has_begun_, true)) {
        return;  // the first one's grid begins before the stream
    }
    // On the grid, the next tick is due a period less the last one's lateness after it. Ticks that fall into the
    // kernel deliver no sample: several may have been due.
    const std::int64_t since_due = late_ + static_cast<std::int64_t>(std::min(task_clock, kLongestClock));
    std::int64_t due = since_due / period_;
    std::int64_t late = since_due % period_;
    if (late > period_ - early_) {
        late = 0;  // the one before was as late as ticks are, or the grid drifts
        ++due;
    }
    same_ = late > least_ && std::abs(late - late_) < kSame ? same_ + 1 : 0;
    if (due == 0 || same_ == kMoved) {
        late_ = 0;
        same_ = 0;
        open_.clear();
        return;  // the grid has moved
    }
    if (late_ - late > least_) {
        taken_.insert(taken_.end(), open_.begin(), open_.end());
        open_.clear();
    }
    late_ = late;
    in_time_ += late <= least_ ? 1 : 0;
    skipping_ += late <= least_ && due > 1 ? 1 : 0;
    if (late > least_ && open_.size() < kMostKept) {
        open_.push_back({time, due * period_});
    } else if (late <= least_) {
        open_.clear();
        late_ = late < least_ / 2 ? 0 : late;  // or drifts the other way
    }
}

std::vector<TakenTime> LateTicks::take() {
    if (skipping_ * kManySkip > in_time_) {
        for (TakenTime& each : taken_) {
            each.ns = std::min(each.ns, period_);
        }
    }
    return std::exchange(taken_, {});
}

}  // namespace kymo::spacetime
