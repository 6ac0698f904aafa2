// The time of a thread's first sample.
//
// Threads that end before a whole period would never be sampled, and code that threads begin with hardly ever. So the
// first sample of a thread comes at a time drawn at random from its first period: every time is equally likely,
// and the sample has a whole period's weight like all that follow.
#pragma once

#include "base/hash.h"
#include "recording/tables.h"

#include <algorithm>
#include <cstdint>

namespace kymo::monitor {

// ns, in [kLeastFirstPeriodNs, period); all moments before that are drawn as that one: the kernel's timer, once it
// has found the thread in the kernel, expires again and again until it finds it in the program. 0: the period is too
// short for it. `seed`: any number that differs from thread to thread.
inline std::uint64_t draw_first_period(std::uint64_t period, std::uint64_t seed) {
    return period < 4 * recording::kLeastFirstPeriodNs ? 0
                                                       : std::max(recording::kLeastFirstPeriodNs, mix(seed) % period);
}

}  // namespace kymo::monitor
