// Whose the time from threads' last samples to their ends is, in a process whose threads took their first samples at
// random moments (Stream::first_period_ns).
//
// Of one thread nothing is known there. Of all together it is: every sample stands for one period of user time, the
// first one of a thread as well, though less than a period came before it. What a thread's first sample stands for
// beyond that lies in the tails of other threads, that ended without a sample. (Each moment of a thread's first
// period has the same chance to be sampled, so that this is right in sum: Horvitz and Thompson, 1952.) So:
//
//   tails' user time goes to the first samples, to each in proportion to what it stands for beyond the time before
//   it, and near it in time; what the tails have beyond that, by more than chance explains, is system time, since the
//   clock takes no samples in the kernel. It goes first to the waits that it lies in, then to the calls in which the
//   kernel's ticks found such threads, to each tick at most kMostOfTick; the rest stays after the last sample.
//
// Where the kernel's tick samples threads from their beginnings (Stream::tick_ns), it finds each moment on a
// processor with the same chance, in the program or in the kernel, and stands for a tick's length there. What first
// samples stand for beyond the time before them lies in tails here as well, user and system time alike; what the
// tails have beyond that, by more than chance explains, is not known.
//
// Pure. Cost: O(n log n) for n tails, firsts and looks.
#pragma once

#include "base/index.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// A call path of some stream of the process; stream kNone: it is not known.
struct TailPlace {
    std::uint32_t stream = kNone;
    std::uint32_t context = 0;
    bool operator==(const TailPlace&) const = default;
};

struct Tail {
    std::uint64_t end = 0;      // when the thread ended, ns
    std::int64_t user = 0;      // ns on a processor outside of waits, not known to be the system's
    std::int64_t in_waits = 0;  // the same in waits
};

// The first sample of a thread.
struct FirstSample {
    std::uint64_t time = 0;
    std::int64_t missing =
        0;                   // ns: the period less the user time before it; at ticks, a tick less the time before it
    TailPlace place;         // of what is missing
    bool is_system = false;  // a tick found the kernel at work
};

// The kernel's tick found a thread in a call, in its tail.
struct TailLook {
    std::uint64_t time = 0;
    TailPlace place;
};

struct TailPart {
    std::int64_t ns = 0;
    bool is_system = false;
    TailPlace place;
    bool operator==(const TailPart&) const = default;
};

// What becomes of a tail: its `user` in parts, which add up to it, and so much of `in_waits` is system time.
struct TailPlan {
    std::vector<TailPart> parts;
    std::int64_t system_in_waits = 0;
};

inline constexpr std::int64_t kMostOfTick = 10'000'000;  // ns: a tick of the slowest kernels (100 Hz)

// By tail. `period`: ns of user time that a sample stands for.
std::vector<TailPlan> plan_tails(std::span<const Tail> tails, std::vector<FirstSample> firsts,
                                 std::vector<TailLook> looks, std::int64_t period);

// Of threads sampled at ticks. Their time in waits is known to be the system's, and in no tail's `user`. `tick`: ns.
std::vector<TailPlan> plan_tails_at_ticks(std::span<const Tail> tails, std::vector<FirstSample> firsts,
                                          std::int64_t tick);

}  // namespace kymo::spacetime
