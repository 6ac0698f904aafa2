// What agents and the manager have in common: they are state machines without a clock, sockets or threads.
//
// Frames and the time come in through calls; frames to send go out through an Outbox. The driver calls a member
// with times that never go back (nanoseconds of its own clock), at the latest at next_timer(). One thread. A real
// transport and a simulator get the same behaviour.
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
    bool asks = false;  // whether the receiver is there; if so, the transport calls on_answer()
};
using Outbox = std::vector<Outgoing>;

// The result of asking whether a member is there. The member's transport answers, on the channel of the question.
struct Answer {
    Slot from = kManager;
    bool is_refused = false;  // no process listens at its address; otherwise the member is there
};

// What all members of a job agree upon.
struct JobSettings {
    std::uint64_t job = 0;
    Time heartbeat = 2'000'000'000;  // silence after which a member is passed over, ns
    std::uint32_t reach = 4;         // number of members behind it that an agent queries if those before them are
                                     // silent
};
inline constexpr std::uint32_t kHeartbeatsInSilence = 4;

using RefusalCounts = std::array<std::uint64_t, kRefusals>;

}  // namespace kymo::ring
