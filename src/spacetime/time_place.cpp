#include "spacetime/time_place.h"

namespace kymo::spacetime {

void TimePlace::next(std::span<const StateInterval> intervals, std::uint32_t sampled) {
    if (now_.wait == kNoWait && now_.context != kNone) {
        own_ = now_.context;
    }
    before_ = now_;
    now_.context = sampled;
    // A sample at the moment of the last one is where that was.
    if (!intervals.empty()) {
        now_.wait = sampled == kNone ? kNoWait : intervals.back().wait;
    }
}

std::uint32_t TimePlace::of(const StateInterval& interval) const {
    if (interval.state == ThreadState::kPaused) {
        return now_.context;
    }
    if (interval.wait == kNoWait) {
        if (now_.wait == kNoWait) {
            return now_.context;
        }
        const std::uint32_t call = call_of(now_.wait);
        return own_ != kNone ? own_ : call != 0 ? call : now_.context;
    }
    if (interval.state == ThreadState::kSpinning) {
        for (const Seen& seen : {now_, before_}) {
            if (seen.wait == interval.wait) {
                return seen.context;
            }
        }
    }
    const std::uint32_t call = call_of(interval.wait);
    return call != 0 ? call : now_.context;
}

}  // namespace kymo::spacetime
