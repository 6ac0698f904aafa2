// From samples, switch records and waits of one stream to its states (thread_states.h), in the order of time.
//
// Between two samples the amounts are given (time_split.h: user, system, off, paused; they add up to the wall time).
// The other sources say where the off time lay and what for, and agree with the task clock to some microseconds only,
// or lack records. So the amounts hold, and the sources place them:
//
//   off time goes first where switch records have the thread off (ready, if it was preempted there), then where waits
//   cover it, then anywhere in the interval (off for no known reason);
//   time on a processor inside a wait is system time as far as there is any, in a wait that is a system call first:
//   the kernel's work in the blocking call; where a tick alone says whether all of the interval was system time, that
//   inside of system calls is so in any case, and what this adds is taken from the system time of later intervals:
//   the sum stays what the ticks say; what must be spread over several pieces is spread in proportion to their
//   length, exactly.
//
// A moment that a wait covers carries that wait; of several covering waits the one that began last.
// Memory: the waits once more in pieces, and the pieces of one interval between samples.
#pragma once

#include "spacetime/load/thread_states.h"
#include "spacetime/load/time_split.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// A thread was off its processor, by the kernel's switch records.
struct OffInterval {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_ready = false;  // it was preempted, or waited for its first processor
    bool operator==(const OffInterval&) const = default;
};

// In time, disjoint, none empty: what overlaps is the earlier one's.
void lay_in_time(std::vector<OffInterval>* offs);

class StateBuilder {
  public:
    // `offs` and `waits` in any order; overlaps, empty ones and such as lie outside the stream's life are allowed.
    // Indices into `waits` are what intervals carry. `offs` must outlive this: they are copied only where they are
    // not laid in time yet.
    StateBuilder(std::uint64_t begin, std::span<const OffInterval> offs, std::span<const ThreadWait> waits);
    StateBuilder(const StateBuilder&) = delete;
    StateBuilder& operator=(const StateBuilder&) = delete;
    ~StateBuilder() = default;

    // The intervals of [last end, last end + sum of the split's parts), in order. Valid until the next call.
    // Precondition: no part is negative.
    std::span<const StateInterval> add(const Split& split);

    std::uint64_t end() const { return now_; }

  private:
    // A stretch between two samples in which neither source changes.
    struct Piece {
        std::uint64_t begin = 0;
        std::uint64_t length = 0;
        std::uint64_t off = 0;     // of it: off a processor
        std::uint64_t system = 0;  // of it: on one in the kernel
        std::uint32_t wait = kNone;
        bool is_call = false;   // in a wait that is a system call
        bool is_off = false;    // by a switch record
        bool is_ready = false;  // by that, ready
    };
    struct Cover {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t wait = kNone;
        bool is_call = false;
    };

    std::uint64_t on_in_calls() const;
    std::uint64_t settle(std::uint64_t by_tick, std::uint64_t least, std::uint64_t on);
    void lay_waits(std::span<const ThreadWait> waits);
    void cut(std::uint64_t end);
    void place_off(std::uint64_t off);
    void place_system(std::uint64_t system);
    void put(std::uint64_t length, ThreadState state, std::uint32_t wait);

    std::uint64_t now_;
    std::vector<OffInterval> own_offs_;
    std::span<const OffInterval> offs_;  // disjoint, in time
    std::vector<Cover> covers_;          // disjoint, in time
    std::size_t next_off_ = 0;
    std::size_t next_cover_ = 0;
    std::int64_t balance_ = 0;  // ns of system time that ticks have said, less what was given: never above 0
    std::vector<Piece> pieces_;
    std::vector<StateInterval> out_;
};

}  // namespace kymo::spacetime
