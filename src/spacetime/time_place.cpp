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
    find_what_was_left(intervals);
}

bool TimePlace::is_below(std::uint32_t context, std::uint32_t outer) const {
    while (context > outer && context < parents_.size()) {
        context = parents_[context];
    }
    return context == outer;
}

void TimePlace::find_what_was_left(std::span<const StateInterval> intervals) {
    left_until_ = 0;
    if (now_.wait != kNoWait || now_.context == kNone) {
        return;
    }
    for (auto interval = intervals.rbegin(); interval != intervals.rend(); ++interval) {
        if (interval->wait == kNoWait) {
            continue;
        }
        // The caller of the waiting function, where that is known: the sample may well be in another line of it.
        const std::uint32_t call = call_of(interval->wait);
        if (const std::uint32_t caller = call == 0 ? 0 : parents_[call]; !is_below(now_.context, caller)) {
            left_until_ = interval->begin;
            left_ = own_ != kNone && is_below(own_, caller) ? own_ : call;
        }
        return;
    }
}

std::uint32_t TimePlace::of(const StateInterval& interval) const {
    if (interval.state == ThreadState::kPaused) {
        return now_.context;
    }
    if (interval.wait == kNoWait) {
        if (now_.wait == kNoWait) {
            return interval.end <= left_until_ ? left_ : now_.context;
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
