// Removes time for which a thread's processor was away (late_ticks.h) from its apparent work.
#pragma once

#include "spacetime/load/thread_states.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kymo::spacetime {

// The intervals end with the late tick, which came when the processor was back: so the last of the time on it becomes
// time without one. System time first, since the kernel's clocks count missing ticks as such, then user time;
// none in recorded waits. Returns the rest that did not fit, ns.
inline std::int64_t take_out(std::int64_t ns, std::vector<StateInterval>* intervals) {
    for (const ThreadState state : std::array{ThreadState::kSystem, ThreadState::kUser}) {
        for (std::size_t i = intervals->size(); i-- > 0 && ns > 0;) {
            StateInterval& interval = (*intervals)[i];
            if (interval.state != state || interval.wait != kNone) {
                continue;
            }
            if (duration_of(interval) <= ns) {
                ns -= duration_of(interval);
                interval.state = ThreadState::kReady;
                continue;
            }
            StateInterval away = interval;
            away.begin = interval.end - static_cast<std::uint64_t>(ns);
            away.state = ThreadState::kReady;
            interval.end = away.begin;
            intervals->insert(intervals->begin() + static_cast<std::ptrdiff_t>(i) + 1, away);
            ns = 0;
        }
    }
    return ns;
}

}  // namespace kymo::spacetime
