// Whose code a stretch of a stream's time is. The one way from states to places, for every pass over a recording: two
// samples bound an interval, and the sample at its end says where the thread was, but what waits cut out of it
// exactly is not the place of the rest.
//
// - Time in a waiting call is that call's, wherever the sample is.
// - Polling in a waiting call is where a sample inside this same wait saw it; where none did, the call's.
// - A sample inside a wait says nothing of the time before the wait: that is the code's that was last seen outside
//   waits. Charged to the sample, threads that poll for less than a sampling period would lose to the place they
//   poll in what their work took, each time a sample meets the wait.
// - A sample that has left the code which waited again and again, and which the sample before was in, says nothing of
//   the time before the last of these waits either: it is where that one was. Charged to the later one, many short
//   waits before it would each seem to be a return to the code that has been left. Not so with one wait: what the
//   code gains where it ends, it would have to lose where it began, and that place is not known.
//
// That is the best that can be said of a moment. Sums over a run say it of the user time outside of waits in another
// way (own_time.h).
#pragma once

#include "base/index.h"
#include "spacetime/load/thread_states.h"

#include <cstdint>
#include <span>

namespace kymo::spacetime {

class TimePlace {
  public:
    // `waits` as StateBuilder's; `parents` by context, 0 the root, each less than its child: contexts behind its end
    // are none. Both must outlive this.
    TimePlace(std::span<const ThreadWait> waits, std::span<const std::uint32_t> parents)
        : waits_(waits), parents_(parents) {}

    // The intervals up to the next sample, which was at `sampled`; kNone: there is none, the stream ends.
    void next(std::span<const StateInterval> intervals, std::uint32_t sampled);
    // Of one of them: a context, as `sampled` or as the waits have it; kNone: not known.
    std::uint32_t of(const StateInterval& interval) const;
    // Is the sample behind the intervals outside of waits? Not so where there is none.
    bool is_outside() const { return now_.wait == kNone && now_.context != kNone; }

  private:
    // The sampled place of a moment inside `wait`, or outside all.
    struct Seen {
        std::uint32_t wait = kNone;
        std::uint32_t context = kNone;
    };
    // 0: not known.
    std::uint32_t call_of(std::uint32_t wait) const {
        const std::uint32_t call = waits_[wait].context;
        return call < parents_.size() ? call : 0;
    }
    bool is_below(std::uint32_t context, std::uint32_t outer) const;
    void find_what_was_left(std::span<const StateInterval> intervals);

    std::span<const ThreadWait> waits_;
    std::span<const std::uint32_t> parents_;
    Seen before_;                   // the sample that begins the intervals
    Seen now_;                      // the one that ends them
    std::uint32_t own_ = kNone;     // where a sample last was that lay in no wait
    std::uint64_t left_until_ = 0;  // until when it was in code that had been left when the sample came
};

}  // namespace kymo::spacetime
