// A stream's life as consecutive intervals of one state each: on a processor (user, system, spinning), ready and
// without one, waiting for something, off for a reason that nobody recorded, not measured.
//
// The intervals partition [begin, end): none is empty, none overlaps the next, and none is missing. So sums over any
// partition of any stretch of time add up to its wall time, bit for bit, and those of a whole stream to its costs.
//
// What is known exactly are the amounts between two samples (time_split.h), the switch records' intervals and the
// waits. Where inside them user and system time lay is not known: within a piece on a processor, system time is put
// first. See state_builder.h for how the sources are made to agree.
//
// Cost: sums() O(log n + 64); filling() also the intervals inside. Memory: 14 bytes an interval, and where a limit is
// set only about so many: beyond it neighbouring pieces on a processor are joined, system with system and user with
// user time, over ever longer stretches; where that is not enough, so are times off the processor that are no waits.
// Sums of the whole stay, those of a stretch become as coarse as that.
#pragma once

#include "base/index.h"
#include "recording/tables.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

enum class ThreadState : std::uint8_t {
    kUser = 0,      // on a processor in the program
    kSystem = 1,    // on a processor in the kernel
    kReady = 2,     // ready to run: another thread has the processor
    kWaiting = 3,   // off the processor in a call that waits
    kOff = 4,       // off the processor, nobody recorded why
    kPaused = 5,    // measurement was switched off
    kSpinning = 6,  // on a processor in the program, inside a call that waits: it polls for what it waits for
};
inline constexpr std::size_t kThreadStates = 7;

struct StateInterval {
    std::uint64_t begin = 0;  // ns, as the recording's
    std::uint64_t end = 0;
    ThreadState state = ThreadState::kOff;
    // Index of the stream's waits: what a kWaiting or kSpinning is for; with other states the waiting call that the
    // time lies in (the kernel's work in a read). kNone: in none.
    std::uint32_t wait = kNone;
    bool operator==(const StateInterval&) const = default;
};

inline std::int64_t duration_of(const StateInterval& interval) {
    return static_cast<std::int64_t>(interval.end - interval.begin);
}

// On a processor in the program.
inline bool is_user_time(const StateInterval& interval) {
    return interval.state == ThreadState::kUser || interval.state == ThreadState::kSpinning;
}

// ns by state; index: ThreadState.
struct StateSums {
    std::array<std::int64_t, kThreadStates> ns{};

    std::int64_t operator[](ThreadState state) const { return ns[static_cast<std::size_t>(state)]; }
    std::int64_t& operator[](ThreadState state) { return ns[static_cast<std::size_t>(state)]; }
    // What the clocks of the processor call user time.
    std::int64_t user() const { return (*this)[ThreadState::kUser] + (*this)[ThreadState::kSpinning]; }
    std::int64_t processor() const { return user() + (*this)[ThreadState::kSystem]; }
    std::int64_t off_processor() const {
        return (*this)[ThreadState::kReady] + (*this)[ThreadState::kWaiting] + (*this)[ThreadState::kOff];
    }
    std::int64_t wall() const { return processor() + off_processor() + (*this)[ThreadState::kPaused]; }
    StateSums& operator+=(const StateSums& other);
    StateSums& operator-=(const StateSums& other);
    bool operator==(const StateSums&) const = default;
};

// One wait of a stream, as its row has it. Waits may nest (a signal handler waits inside a wait): a moment belongs to
// the wait that began last.
struct ThreadWait {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    recording::WaitKind kind{};
    std::uint64_t object = 0;
    std::uint64_t holder_tid = 0;  // 0: nobody, or not known
    std::uint32_t context = 0;  // ContextId in the stream's tree; in a Profile: index of Profile::nodes. 0: unknown
    std::uint64_t flags = 0;    // recording::WaitFlags
    bool operator==(const ThreadWait&) const = default;
};

struct WaitShare {
    std::uint32_t wait = kNone;  // index of the stream's waits
    std::int64_t ns = 0;         // waited: off the processor
    bool operator==(const WaitShare&) const = default;
};

// What filled a stretch of time: the states, and of kWaiting which waits, by index.
struct Filling {
    StateSums states;
    std::vector<WaitShare> waits;
};

class ThreadStates {
  public:
    ThreadStates() : ThreadStates(0) {}
    explicit ThreadStates(std::uint64_t begin) : begin_(begin), end_(begin) {}

    // About how many intervals are kept, unless there are more waits than that.
    void set_limit(std::size_t intervals) { limit_ = intervals; }

    // The next interval; one that continues the last is joined to it. Precondition: interval.begin == end().
    // Empty ones are left out.
    void add(const StateInterval& interval);

    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    std::size_t size() const { return begins_.size(); }
    StateInterval operator[](std::size_t index) const;
    // The interval that holds `time`; size() where none does.
    std::size_t at(std::uint64_t time) const;

    // Sums over what [from, to) has in common with the life.
    StateSums sums(std::uint64_t from, std::uint64_t to) const;
    StateSums sums() const { return sums(begin_, end_); }
    Filling filling(std::uint64_t from, std::uint64_t to) const;

    // Every interval's part in [from, to), in order: each(const StateInterval&).
    template <typename Each>
    void for_each(std::uint64_t from, std::uint64_t to, Each&& each) const {
        from = from < begin_ ? begin_ : from;
        to = to < end_ ? to : end_;
        for (std::size_t i = from < to ? at(from) : size(); i < size() && begins_[i] < to; ++i) {
            StateInterval part = (*this)[i];
            part.begin = part.begin < from ? from : part.begin;
            part.end = part.end < to ? part.end : to;
            each(part);
        }
    }

    // All times moved (a host's clock laid on another's).
    void shift(std::int64_t by);

    bool operator==(const ThreadStates&) const = default;

    template <typename Visit>
    void members(const Visit& visit) {
        visit(begin_, end_, limit_, grain_, joins_off_, begins_, waits_, states_, steps_, closed_);
    }

  private:
    static constexpr std::size_t kStep = 64;  // intervals between two stored sums

    void coarsen();
    StateSums before(std::uint64_t time) const;  // over [begin_, time); begin_ ≤ time ≤ end_

    std::uint64_t begin_;
    std::uint64_t end_;
    std::size_t limit_ = ~std::size_t{0};
    std::uint64_t grain_ = 0;  // ns; longest stretch that pieces were joined over
    bool joins_off_ = false;   // times off the processor, too
    std::vector<std::uint64_t> begins_;
    std::vector<std::uint32_t> waits_;
    std::vector<ThreadState> states_;
    std::vector<StateSums> steps_;  // [i]: over all intervals before number i · kStep
    StateSums closed_;              // over all intervals but the last
};

}  // namespace kymo::spacetime
