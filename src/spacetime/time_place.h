// Whose code a stretch of a stream's time is. The one way from states to places, for every pass over a recording: two
// samples bound an interval, and the sample at its end says where the thread was, but what waits cut out of it
// exactly is not the place of the rest.
//
// - Time in a waiting call is that call's, wherever the sample is.
// - Polling in a waiting call is where a sample inside this same wait saw it; where none did, the call's.
// - A sample inside a wait says nothing of the time before the wait: that is the code's that was last seen outside
//   waits. Charged to the sample, threads that poll for less than a sampling period would lose to the place they
//   poll in what their work took, each time a sample meets the wait.
#pragma once

#include "spacetime/none.h"
#include "spacetime/thread_states.h"

#include <cstdint>
#include <span>

namespace kymo::spacetime {

class TimePlace {
  public:
    // `waits` as StateBuilder's, must outlive this; contexts from `contexts` on are none.
    TimePlace(std::span<const ThreadWait> waits, std::size_t contexts) : waits_(waits), contexts_(contexts) {}

    // The intervals up to the next sample, which was at `sampled`; kNone: there is none, the stream ends.
    void next(std::span<const StateInterval> intervals, std::uint32_t sampled);
    // Of one of them: a context, as `sampled` or as the waits have it; kNone: not known.
    std::uint32_t of(const StateInterval& interval) const;

  private:
    // The sampled place of a moment inside `wait`, or outside all.
    struct Seen {
        std::uint32_t wait = kNoWait;
        std::uint32_t context = kNone;
    };
    // 0: not known.
    std::uint32_t call_of(std::uint32_t wait) const {
        const std::uint32_t call = waits_[wait].context;
        return call < contexts_ ? call : 0;
    }

    std::span<const ThreadWait> waits_;
    std::size_t contexts_;
    Seen before_;                // the sample that begins the intervals
    Seen now_;                   // the one that ends them
    std::uint32_t own_ = kNone;  // where a sample last was that lay in no wait
};

}  // namespace kymo::spacetime
