// One thread's counters: opened, owned, reset, enabled, read and closed.
//
// With performance events: one counter an event, in the session's groups; the first group's leader is task-clock and
// has the thread's sample buffer (one data page); every sampling counter signals the thread (O_ASYNC, F_OWNER_TID).
// Without them, or when descriptors are used up: a CPU-time timer of the thread, and getrusage for what it counts.
//
// Most threads that a program makes by the thousand are gone before their first overflow. So in a session that
// samples by task-clock (and page faults, rarely) and counts nothing else but what the kernel keeps of every thread
// anyhow (getrusage), a new thread opens its leader, and nothing else; its first overflow, if it lives to see one,
// brings the rest: complete(). Until then faults and switches are those of getrusage, and migrations are not counted.
//
// Every step has a defined outcome:
//   leader cannot be opened           → timer
//   buffer cannot be mapped           → no buffer: the handler reads the group itself, and only the leader signals
//   a member cannot be opened         → getrusage where that has it, otherwise the event stays 0 for this thread
//   descriptors run short             → the leader alone (complete() opens no member)
//   a sampling member cannot signal   → it only counts
//   timer cannot be made              → the thread is not sampled; its totals are still taken at its end
// outcome() says which, for the recording.
//
// The kernel sets a thread's sampling clock anew each time it is switched to a processor (13 µs on a virtual machine,
// which leaves the guest for it). A thread that is switched often may therefore be sampled by a timer that is looked
// at with the kernel's tick, while the counters count on: choose_trigger().
//
// open() and close() run in the thread itself, under Quiet; read() in any thread; sample() and complete() in the
// thread's handler. Cost of open() with a leader alone: about 10 µs; with all of four events and a buffer 35 µs.
#pragma once

#include "events/attributes.h"
#include "events/ring.h"
#include "events/session.h"
#include "monitor/clock.h"
#include "monitor/process/descriptors.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <span>
#include <sys/resource.h>

namespace kymo::monitor {

// The session's events and, behind them, the kernel time that a timer thread reads for itself.
inline constexpr std::size_t kMaxValues = events::kMaxEvents + 1;

struct CounterValues {
    std::uint64_t value[kMaxValues] = {};  // session order; then system time
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;
    std::uint64_t kernel_lost = 0;
};

enum class CounterKind : std::uint8_t { kNone = 0, kPerfEvents = 1, kThreadTimer = 2 };

struct CounterOutcome {
    CounterKind kind = CounterKind::kNone;
    bool no_buffer = false;
    bool silent = false;          // it was opened so (set_silent())
    int error = 0;                // why performance events failed (errno); 0: they did not, or it is not known
    std::uint32_t missing = 0;    // bit i: event i could not be opened
    std::uint32_t user_only = 0;  // bit i: event i had to be limited to user mode
};

// One overflow. `pc` 0: not known from the record; the signal's own context has it.
struct Overflow {
    std::uint64_t time = 0;
    std::uint64_t pc = 0;
    std::uint32_t processor = 0;
    std::uint32_t event = 0;
    const CounterValues* values = nullptr;
    bool at_tick = false;    // at the kernel's tick, not after a period of the event
    bool in_kernel = false;  // which found the kernel at work
};

enum class Opening : std::uint8_t {
    kWhole,      // all there is to open, at once
    kPostponed,  // what may wait for the first overflow does, if all of the session's events may
};

class Counters {
  public:
    // True: counting has begun, which saves that call where something was put off. False: it begins with enable().
    // `usage`: the thread's so far, which is not told.
    bool open(const events::Session& session, Descriptors& descriptors, ThreadState* owner, int tid, Opening opening,
              const rusage& usage);
    // After the first overflow: what open() has put off.
    bool is_postponed() const { return postponed_; }
    void complete(Descriptors& descriptors, ThreadState* owner);
    void close(Descriptors& descriptors);
    // In a forked child: the descriptors are copies of the parent's.
    void abandon(Descriptors& descriptors);

    void enable();
    void disable();
    // When the program has turned off all events of its thread (PR_TASK_PERF_EVENTS_DISABLE), each for itself.
    void enable_each();
    // Whether an overflow may have signalled a thread that has counted so much: not before its first period is over.
    // (Half of it: that two clocks of the kernel's go together is not to be relied on.)
    bool may_have_signalled(const CounterValues& values) const {
        return !postponed_ || values.value[0] >= events::clock_period_ns(session_->events[0]) / 2;
    }
    // Whether overflows signal the thread. Counting goes on; what overflows meanwhile waits in the buffer. In the
    // thread.
    void set_signalling(bool on);
    // No overflow is to signal the thread, whatever set_signalling() says; or no longer so. In the thread; what is
    // set before open() holds from the first.
    void set_silent(bool silent);
    bool is_silent() const { return silent_; }

    const CounterOutcome& outcome() const { return outcome_; }
    CounterKind kind() const { return outcome_.kind; }

    // Current values. `own`: the calling thread's usage, where that is its thread (own_usage()); nullptr for another
    // one, whose usage, where it is needed, is then that of its last sample.
    void read(CounterValues& values, const rusage* own);
    static const rusage* own_usage(rusage& space) { return getrusage(RUSAGE_THREAD, &space) == 0 ? &space : nullptr; }

    // In the handler, after sample(): begins to sample at the kernel's tick, or leaves that off, by how often the
    // thread has been switched of late. A system call or two then, nothing else.
    void choose_trigger(ThreadState* owner);

    // In the handler: calls take(const Overflow&) for every sample that has arrived, oldest first; counts what the
    // kernel lost and throttled.
    template <typename Take>
    void sample(const Take& take);

    // How many values there are: the session's events, and for a timer thread the system time that a session for
    // performance events does not list.
    std::size_t value_count() const {
        return session_->event_count +
               (outcome_.kind == CounterKind::kThreadTimer && adds_system_time(*session_) ? 1 : 0);
    }
    static bool adds_system_time(const events::Session& session) {
        return session.mechanism != events::Mechanism::kThreadTimers;
    }

    // Whether getrusage and the processor-time clocks have a count for this event.
    static bool usage_counts(const events::SessionEvent& event);
    // The session's events from what the kernel keeps of every thread and process anyhow.
    static void fill_from_usage(const events::Session& session, const rusage& usage, const timespec& spent,
                                CounterValues& values);

    std::uint64_t lost() const { return lost_; }
    std::uint64_t throttled() const { return throttled_; }

    // At the kernel's ticks, not by a counter's overflow.
    bool samples_by_timer() const { return at_tick_ || outcome_.kind == CounterKind::kThreadTimer; }

  private:
    bool open_events(Descriptors& descriptors, ThreadState* owner, std::size_t count);
    static bool may_postpone(const events::Session& session);
    bool needs_usage() const { return by_usage_ != 0 || outcome_.kind == CounterKind::kThreadTimer; }
    void fill_uncounted(CounterValues& values, const rusage* own);
    int open_one(std::size_t event, int leader, Descriptors& descriptors, ThreadState* owner);
    bool make_signal(std::size_t event);
    bool make_timer(ThreadState* owner);
    void set_timer(bool on);
    bool begin_at_tick(ThreadState* owner);
    void end_at_tick();
    void join_samples(std::size_t event);
    bool map_buffer();
    void open_timer(ThreadState* owner);
    // What drain() has not brought: values for a sample now. False: none is due.
    bool read_at_tick();
    void close_events(Descriptors& descriptors);
    bool read_group(std::size_t group, CounterValues& values);
    void read_other_groups(std::size_t sampled_group, CounterValues& values);
    void read_thread_usage(CounterValues& values, const rusage* own);
    // As fill_from_usage(), since open().
    void fill_since_open(const rusage& usage, const timespec& spent, CounterValues& values) const;
    int event_of(std::uint64_t id) const;

    static constexpr std::size_t kPage = 4096;
    static constexpr std::size_t kBufferBytes = kPage;

    const events::Session* session_ = nullptr;
    CounterOutcome outcome_;
    int tid_ = 0;
    int descriptor_[events::kMaxEvents] = {};
    std::uint64_t id_[events::kMaxEvents] = {};
    int leader_[events::kMaxEvents] = {};  // by group; −1: none
    std::size_t groups_ = 0;
    perf_event_mmap_page* buffer_ = nullptr;
    int timer_ = -1;
    bool postponed_ = false;
    bool silent_ = false;
    bool at_tick_ = false;            // the timer samples, not the leader
    bool may_be_at_tick_ = true;      // false: it has failed once
    std::uint64_t window_clock_ = 0;  // when choose_trigger() looked last, in the thread's clock, and switches then
    std::uint64_t window_switches_ = 0;
    std::uint64_t tick_clock_ = 0;  // of the last sample at a tick
    std::uint64_t tick_user_ = 0;   // the kernel's account of the thread then, ns
    std::uint64_t tick_system_ = 0;
    bool in_kernel_ = false;
    std::uint32_t by_usage_ = 0;             // bit i: event i is taken from getrusage
    std::uint32_t signals_ = 0;              // bit i: overflows of event i signal the thread
    std::uint64_t before_[kMaxValues] = {};  // what had been counted before the event's counter was opened
    CounterValues at_open_;                  // of what the kernel keeps of every thread
    CounterValues latest_;
    std::uint64_t lost_ = 0;
    std::uint64_t throttled_ = 0;
};

// The current processor, for samples that do not carry it.
std::uint32_t current_processor();

template <typename Take>
void Counters::sample(const Take& take) {
    rusage usage{};
    if (outcome_.kind == CounterKind::kPerfEvents && buffer_ != nullptr) {
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
                        latest_.value[member] = before_[member] + sample.values[i].value;
                    }
                }
                latest_.enabled_ns = sample.enabled_ns;
                latest_.running_ns = sample.running_ns;
                read_other_groups(session_->events[event].group, latest_);
                fill_uncounted(latest_, needs_usage() ? own_usage(usage) : nullptr);
                take(Overflow{sample.time, sample.ip, sample.processor, static_cast<std::uint32_t>(event), &latest_});
            } else if (record.type() == PERF_RECORD_LOST) {
                lost_ += record[1];
            } else if (record.type() == PERF_RECORD_THROTTLE) {
                ++throttled_;
            }
        });
        if (at_tick_ && read_at_tick()) {
            take(Overflow{clock_now(), 0, current_processor(), 0, &latest_, true, in_kernel_});
        }
        return;
    }
    read(latest_, needs_usage() ? own_usage(usage) : nullptr);
    take(Overflow{clock_now(), 0, current_processor(), 0, &latest_});
}

}  // namespace kymo::monitor
