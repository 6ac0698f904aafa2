#include "spacetime/load/time_place.h"

#include <ranges>

namespace kymo::spacetime {

void TimePlace::next(std::span<const StateInterval> intervals, std::uint32_t sampled) {
    if (now_.wait == kNone && now_.context != kNone) {
        own_ = now_.context;
    }
    before_ = now_;
    now_.context = sampled;
    // A sample at the moment of the last one is where that was.
    if (!intervals.empty()) {
        now_.wait = sampled == kNone ? kNone : intervals.back().wait;
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
    if (now_.wait != kNone || now_.context == kNone || own_ == kNone) {
        return;
    }
    std::uint32_t asked = kNone;
    bool is_left = false;
    std::uint32_t last = kNone;
    std::uint64_t last_begin = 0;
    for (const StateInterval& interval : std::views::reverse(intervals)) {
        const std::uint32_t call = interval.wait == kNone ? 0 : call_of(interval.wait);
        if (call == 0) {
            continue;
        }
        if (call != asked) {
            asked = call;
            // Below the caller of the waiting function: in another line of it the thread may well be. Contexts tell
            // lines apart, so one that waits in a function of a library's leaves this open, and the sample decides.
            const std::uint32_t caller = parents_[call];
            is_left = is_below(own_, caller) && !is_below(now_.context, caller);
        }
        if (!is_left || interval.wait == last) {
            continue;
        }
        if (last != kNone) {
            left_until_ = last_begin;
            return;
        }
        last = interval.wait;
        last_begin = interval.begin;
    }
}

std::uint32_t TimePlace::of(const StateInterval& interval) const {
    if (interval.state == ThreadState::kPaused) {
        return now_.context;
    }
    if (interval.wait == kNone) {
        if (now_.wait == kNone) {
            return interval.end <= left_until_ ? own_ : now_.context;
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
