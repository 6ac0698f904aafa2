// One thread's performance events: a counter an event, in the session's groups. The first group's leader is
// task-clock and has the thread's sample buffer (one data page); every sampling counter signals the thread (O_ASYNC,
// F_OWNER_TID).
//
// open(), the steps of its completion and close() run in the thread itself, read() in any thread, drain() in the
// thread's handler.
#pragma once

#include "events/ring.h"
#include "events/session.h"
#include "monitor/process/descriptors.h"
#include "monitor/sampling/counter_values.h"

#include <cstddef>
#include <cstdint>
#include <linux/perf_event.h>

namespace kymo::monitor {

// The thread for which counters are opened.
struct CounterOwner {
    Descriptors& descriptors;
    ThreadState* thread = nullptr;
    bool is_silent = false;  // overflows do not signal it
};

class EventCounters {
  public:
    // For a new thread: nothing is open. `first_period`: as Counters::open().
    void reset(const events::Session& session, int tid, std::uint64_t first_period);

    // The session's events, or the first one `alone`, which then counts at once; the others with set_enabled(). What
    // cannot be opened is in `outcome`, except what usage counts (counted_by_usage.h). False: not even the
    // leader, so no task-clock and no time; nothing is open then.
    bool open(bool alone, const CounterOwner& owner, CounterOutcome& outcome);
    bool is_alone() const { return alone_; }
    bool is_open(std::size_t event) const { return descriptor_[event] >= 0; }

    // Completion opens the leader's members, after its first overflow. The leader is stopped meanwhile.
    void begin_completion();
    // `before`: the count so far, from another source. False: it cannot be opened (errno).
    bool add_member(std::size_t event, std::uint64_t before, const CounterOwner& owner, CounterOutcome& outcome);
    void add_samples(const CounterOwner& owner, CounterOutcome& outcome);
    // `missed`: what the leader's clock did not count.
    void end_completion(std::uint64_t missed);

    void close(Descriptors& descriptors);
    // In a forked child: the descriptors are copies of the parent's.
    void abandon(Descriptors& descriptors);

    void set_enabled(bool on);
    // Each for itself.
    void enable_each();
    // Whether overflows signal the thread. Overflows meanwhile wait in the buffer.
    void set_signalling(bool on);
    // Sets the period of the leader, which continues to count. False: refused.
    bool set_period(std::uint64_t ns);
    // The leader's first period, if not the session's; 0: it is, or is over.
    std::uint64_t first_period() const { return first_period_; }
    // At the leader's first overflow: `ns` from now on.
    void end_first_period(std::uint64_t ns) {
        if (first_period_ != 0) {
            set_period(ns);
        }
    }
    // Without a buffer, once for each overflow and before end_first_period(): how much the leader, which is at
    // `clock`, has counted since then, ns. The handler reads it some 30 µs later on a virtual machine.
    std::uint64_t since_overflow(std::uint64_t clock, std::uint64_t period);

    void read(CounterValues& values);
    bool read_group(std::size_t group, CounterValues& values);
    void read_other_groups(std::size_t sampled_group, CounterValues& values);

    // For the samples: a leader opened alone has no buffer until its completion.
    bool add_buffer();
    bool has_buffer() const { return buffer_ != nullptr; }
    // Calls take(sample, event) for every sample that has arrived, oldest first, with the `values` of that moment;
    // counts what the kernel lost and throttled.
    template <typename Take>
    void drain(CounterValues& values, const Take& take);
    std::uint64_t lost() const { return lost_; }
    std::uint64_t throttled() const { return throttled_; }

  private:
    int open_one(std::size_t event, int leader, const CounterOwner& owner, CounterOutcome& outcome);
    bool make_signal(std::size_t event, bool is_silent);
    void join_samples(std::size_t event, bool is_silent, CounterOutcome& outcome);
    int event_of(std::uint64_t id) const;

    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kBufferBytes = kPage;

    const events::Session* session_ = nullptr;
    int tid_ = 0;
    int descriptor_[events::kMaxEvents] = {};
    std::uint64_t id_[events::kMaxEvents] = {};
    int leader_[events::kMaxEvents] = {};  // by group; −1: none
    std::size_t groups_ = 0;
    perf_event_mmap_page* buffer_ = nullptr;
    bool alone_ = false;
    std::uint64_t first_period_ = 0;
    std::uint64_t period_begin_ = 0;  // the leader's clock when its period was last set, without a buffer
    std::uint32_t signals_ = 0;       // bit i: overflows of event i signal the thread
    std::uint64_t before_[events::kMaxEvents] = {};  // the count before the event's counter was opened
    std::uint64_t lost_ = 0;
    std::uint64_t throttled_ = 0;
};

inline int EventCounters::event_of(std::uint64_t id) const {
    if (alone_) {
        return 0;
    }
    for (std::size_t i = 0; i < session_->event_count; ++i) {
        if (id_[i] == id && descriptor_[i] >= 0) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

template <typename Take>
void EventCounters::drain(CounterValues& values, const Take& take) {
    events::drain(buffer_, kPage, kBufferBytes, [&](const events::RingRecord& record) {
        if (record.type() == PERF_RECORD_SAMPLE) {
            events::RingSample sample;
            if (!events::parse_sample(record, session_->read_lost, sample)) {
                return;
            }
            const int event = event_of(sample.id);
            if (event < 0) {
                return;
            }
            for (std::uint32_t i = 0; i < sample.count; ++i) {
                const int member = event_of(sample.values[i].id);
                if (member >= 0) {
                    values.value[member] = before_[member] + sample.values[i].value;
                }
            }
            values.enabled_ns = sample.enabled_ns;
            values.running_ns = sample.running_ns;
            read_other_groups(session_->events[event].group, values);
            take(sample, static_cast<std::uint32_t>(event));
        } else if (record.type() == PERF_RECORD_LOST) {
            lost_ += record[1];
        } else if (record.type() == PERF_RECORD_THROTTLE) {
            ++throttled_;
        }
    });
}

}  // namespace kymo::monitor
