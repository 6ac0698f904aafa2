#include "spacetime/time_place.h"

#include <algorithm>
#include <ranges>

namespace kymo::spacetime {

void TimePlace::next(std::span<const StateInterval> intervals, std::uint32_t sampled, bool has_path) {
    if (now_.wait == kNoWait && now_.context != kNone && has_path_) {
        own_ = now_.context;
    }
    before_ = now_;
    now_.context = sampled;
    // A sample at the moment of the last one is where that was.
    if (!intervals.empty()) {
        now_.wait = sampled == kNone ? kNoWait : intervals.back().wait;
    }
    find_what_was_left(intervals);
    const bool both_say = has_path_ && has_path && before_.wait == kNoWait && own_ != kNone && sampled != kNone;
    changed_at_ = both_say && own_ != sampled ? moment_of_change(intervals) : 0;
    has_path_ = has_path;
}

std::uint64_t TimePlace::moment_of_change(std::span<const StateInterval> intervals) {
    std::uint64_t worked = 0;
    std::uint64_t off = 0;
    const auto is_work = [](const StateInterval& interval) {
        return interval.state == ThreadState::kUser || interval.state == ThreadState::kSystem;
    };
    for (const StateInterval& interval : intervals) {
        if (interval.wait != kNoWait) {
            return 0;
        }
        worked += is_work(interval) ? interval.end - interval.begin : 0;
        off += interval.state == ThreadState::kOff ? interval.end - interval.begin : 0;
    }
    if (off > worked / 8) {
        return 0;
    }
    std::uint64_t left = worked / 2;
    for (const StateInterval& interval : intervals) {
        const std::uint64_t here = is_work(interval) ? interval.end - interval.begin : 0;
        if (left < here) {
            return interval.begin + left;
        }
        left -= here;
    }
    return 0;
}

bool TimePlace::is_below(std::uint32_t context, std::uint32_t outer) const {
    while (context > outer && context < parents_.size()) {
        context = parents_[context];
    }
    return context == outer;
}

void TimePlace::find_what_was_left(std::span<const StateInterval> intervals) {
    left_until_ = 0;
    if (now_.wait != kNoWait || now_.context == kNone || own_ == kNone) {
        return;
    }
    std::uint32_t asked = kNone;
    for (const StateInterval& interval : std::views::reverse(intervals)) {
        const std::uint32_t call = interval.wait == kNoWait ? 0 : call_of(interval.wait);
        if (call == 0 || call == asked) {
            continue;
        }
        asked = call;
        // Below the caller of the waiting function: in another line of it the thread may well be. Contexts tell lines
        // apart, so one that waits in a function of a library's leaves this unsaid, and the sample speaks.
        const std::uint32_t caller = parents_[call];
        if (is_below(own_, caller) && !is_below(now_.context, caller)) {
            left_until_ = interval.begin;
            return;
        }
    }
}

std::uint32_t TimePlace::of(const StateInterval& interval) const {
    if (interval.state == ThreadState::kPaused) {
        return now_.context;
    }
    if (interval.wait == kNoWait) {
        if (now_.wait == kNoWait) {
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
