// What agents and the manager have in common: they are state machines without a clock, sockets or threads of their
// own.
//
// Frames and the time come in by calls, frames to be sent go out by an Outbox. A member is called with times that
// never go back (nanoseconds of its own clock), at the latest at next_timer(). One thread. Whoever drives members, a
// real transport or a simulator, gets the same behaviour.
#pragma once

#include "ring/protocol/frame.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kymo::ring {

using Time = std::uint64_t;  // ns of a member's own clock
inline constexpr Time kNever = ~Time{0};

struct Outgoing {
    Slot to = kManager;
    Bytes frame;
    bool asks = false;  // whether the receiver is there: on_answer() tells, if it is
};
using Outbox = std::vector<Outgoing>;

// What has come of asking a member whether it is there. The transport answers for it, by the channel it was asked by.
struct Answer {
    Slot from = kManager;
    bool is_refused = false;  // nobody listens where it should be; otherwise it is there
};

// What all members of a job agree upon.
struct JobSettings {
    std::uint64_t job = 0;
    Time heartbeat = 2'000'000'000;  // silence after which a member is passed over
    std::uint32_t reach = 4;         // members behind it that an agent asks when those before them are silent
};
inline constexpr std::uint32_t kHeartbeatsInSilence = 4;

using RefusalCounts = std::array<std::uint64_t, kRefusals>;

}  // namespace kymo::ring
