// One thread's counters: opened, owned, reset, enabled, read and closed.
//
// With performance events: one counter an event (event_counters.h). Without them, or when descriptors are used up: a
// CPU-time timer of the thread (thread_timer.h), and getrusage for what it counts (counted_by_usage.h).
//
// Most threads that a program makes by the thousand are gone before their first overflow. So in a session that
// samples by task-clock (and page faults, rarely) and otherwise counts only what the kernel keeps of every thread
// anyhow (getrusage), a new thread opens its leader alone; its first overflow, if the thread lives until then,
// brings the rest: complete(). Until then faults and switches are those of getrusage, and migrations are not counted.
//
// Every step has a defined outcome:
//   leader cannot be opened           → timer
//   buffer cannot be mapped           → no buffer: the handler reads the group itself, and only the leader signals
//                                       (so does that of a thread that has opened its leader alone)
//   a member cannot be opened         → getrusage where that has it, otherwise the event stays 0 for this thread
//   descriptors run short             → the leader alone (complete() opens no member)
//   a sampling member cannot signal   → it only counts
//   timer cannot be made              → the thread is not sampled; its totals are still taken at its end
// outcome() gives it for the recording.
//
// A thread that is switched often may be sampled by a timer that is checked at the kernel's tick, while the
// counters count on: tick_trigger.h. One that spends time in the kernel is sampled there by the same timer, beside
// its samples: kernel_ticks.h.
//
// open() and close() run in the thread itself, under Quiet; read() in any thread; sample() and complete() in the
// thread's handler. Cost of open() with a leader alone: about 10 µs; with all of four events and a buffer 35 µs.
#pragma once

#include "events/attributes.h"
#include "events/session.h"
#include "monitor/clock.h"
#include "monitor/process/descriptors.h"
#include "monitor/sampling/counted_by_usage.h"
#include "monitor/sampling/counter_values.h"
#include "monitor/sampling/event_counters.h"
#include "monitor/sampling/kernel_ticks.h"
#include "monitor/sampling/thread_timer.h"
#include "monitor/sampling/tick_trigger.h"

#include <cstdint>
#include <sys/resource.h>

namespace kymo::monitor {

enum class Opening : std::uint8_t {
    kWhole,      // everything, at once
    kPostponed,  // some of it waits for the first overflow, if all of the session's events may
};

// How a thread's counters begin.
struct Beginning {
    Opening opening = Opening::kPostponed;
    std::uint64_t first_period = 0;  // ns until the clock's first sample, if not the session's; else 0
    std::uint64_t tick = 0;          // ns, of the kernel's tick: sample at it; else 0
    bool kernel_ticks = false;       // examine at once which calls take its system time
};

class Counters {
  public:
    // True: counting has begun, which saves that call if something was put off. False: it begins with enable().
    // `usage`: the thread's so far, which is not counted.
    bool open(const events::Session& session, Descriptors& descriptors, ThreadState* owner, int tid,
              const Beginning& beginning, const rusage& usage);
    // After the first overflow: opens what open() has put off.
    bool is_postponed() const { return events_.is_alone(); }
    void complete(Descriptors& descriptors, ThreadState* owner);
    void close(Descriptors& descriptors);
    // In a forked child: the descriptors are copies of the parent's.
    void abandon(Descriptors& descriptors);

    void enable();
    void disable();
    // After the program has turned off all events of its thread (PR_TASK_PERF_EVENTS_DISABLE), each for itself.
    void enable_each() { events_.enable_each(); }
    // Whether an overflow may have signalled a thread with these counts: not before its first period is over.
    // (Half of it: two clocks of the kernel's may differ.)
    bool may_have_signalled(const CounterValues& values) const {
        const std::uint64_t first = events_.first_period() != 0 ? events_.first_period() : period();
        return !is_postponed() || needs_timer() || values.value[0] >= first / 2;
    }
    // Whether overflows signal the thread. Counting continues; overflows meanwhile wait in the buffer. In the
    // thread.
    void set_signalling(bool on);
    // Overflows never signal the thread, whatever set_signalling() says; or do again. In the thread; a value
    // set before open() is effective from the first.
    void set_silent(bool silent);
    bool is_silent() const { return silent_; }

    const CounterOutcome& outcome() const { return outcome_; }
    CounterKind kind() const { return outcome_.kind; }

    // Current values. `own`: the calling thread's usage, if that is its thread (own_usage()); nullptr for another
    // one, whose usage, if needed, is then that of its last sample.
    void read(CounterValues& values, const rusage* own);

    // In the handler, after sample(): begins or ends sampling at the kernel's tick, by how often the
    // thread has been switched lately. A system call or two then, nothing else.
    void choose_trigger(ThreadState* owner);

    // In the handler of a timer's signal, which found the thread at `context`, after sample(): whether the kernel's
    // tick found it in the kernel, in a session that examines that.
    bool tick_found_kernel(const ucontext_t& context);

    // In the handler, before anything that may take long: for a clock that samples without a buffer, reads the time
    // of the overflow, and ends its first period. `is_timers`: the signal is a timer's.
    void at_signal(bool is_timers);
    // In the handler: calls take(const Overflow&) for every sample that has arrived, oldest first; counts what the
    // kernel lost and throttled.
    template <typename Take>
    void sample(bool is_timers, const Take& take);

    // The number of values: the session's events, and for a timer thread the system time that a session for
    // performance events does not list.
    std::size_t value_count() const {
        return session_->event_count +
               (outcome_.kind == CounterKind::kThreadTimer && adds_system_time(*session_) ? 1 : 0);
    }

    std::uint64_t lost() const { return events_.lost(); }
    std::uint64_t throttled() const { return events_.throttled(); }

    bool is_at_tick() const { return tick_.is_at_tick(); }
    // At the kernel's ticks, not by a counter's overflow.
    bool samples_by_timer() const { return tick_.is_at_tick() || outcome_.kind == CounterKind::kThreadTimer; }

  private:
    void open_timer(ThreadState* owner, const rusage& usage);
    void add_members(const timespec& stopped, const CounterOwner& owner);
    bool needs_usage() const { return usage_.has_any() || outcome_.kind == CounterKind::kThreadTimer; }
    std::uint64_t period() const { return events::clock_period_ns(session_->events[0]); }
    bool needs_timer() const { return samples_by_timer() || kernel_ticks_.is_on(); }
    void set_timer(bool on) {
        if (on) {
            timer_.set_from_next_tick(samples_by_timer() ? period() : KernelTicks::kPeriod);
        } else {
            timer_.stop();
        }
    }
    void begin_kernel_ticks(ThreadState* owner, const rusage& usage);
    void begin_with_ticks(ThreadState* owner, const rusage& usage);
    void choose_kernel_ticks(ThreadState* owner);
    bool begin_at_tick(const rusage& usage, ThreadState* owner);
    void follow_ticks(const rusage& usage);
    void end_at_tick();
    // Values for a sample that drain() does not deliver, now. False: none is due.
    bool read_at_tick(bool is_timers, bool* in_kernel);

    const events::Session* session_ = nullptr;
    CounterOutcome outcome_;
    int tid_ = 0;
    bool silent_ = false;
    EventCounters events_;
    CountedByUsage usage_;
    ThreadTimer timer_;
    TickTrigger tick_;
    KernelTicks kernel_ticks_;
    CounterValues latest_;
    std::uint64_t overflow_time_ = 0;  // of the last sample without a buffer
};

// The current processor, for samples that do not carry it.
std::uint32_t current_processor();

template <typename Take>
void Counters::sample(bool is_timers, const Take& take) {
    rusage space{};
    const auto usage = [&]() { return needs_usage() ? own_usage(space) : nullptr; };
    if (outcome_.kind == CounterKind::kThreadTimer) {
        read(latest_, usage());
        take(Overflow{clock_now(), 0, current_processor(), 0, &latest_});
        return;
    }
    if (events_.has_buffer()) {
        events_.drain(latest_, [&](const events::RingSample& sample, std::uint32_t event) {
            usage_.fill(latest_, usage(), latest_);
            if (event == 0) {
                events_.end_first_period(period());
                kernel_ticks_.count_sample();
            }
            take(Overflow{sample.time, sample.ip, sample.processor, event, &latest_});
        });
    } else if (!is_timers) {
        take(Overflow{overflow_time_, 0, current_processor(), 0, &latest_});
    }
    bool in_kernel = false;
    if (tick_.is_at_tick() && read_at_tick(is_timers, &in_kernel)) {
        take(Overflow{clock_now(), 0, current_processor(), 0, &latest_, true, in_kernel});
    }
}

}  // namespace kymo::monitor
