#include "monitor/sampling/counters.h"

#include <cerrno>
#include <ctime>
#include <linux/perf_event.h>
#include <sched.h>

namespace kymo::monitor {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 50U;  // ns, 13 days: the counter's timer is never next

// Whether the leader alone samples, or nearly so, and the members may wait.
bool may_postpone(const events::Session& session) {
    for (std::size_t i = 1; i < session.event_count; ++i) {
        const events::SessionEvent& event = session.events[i];
        const bool may_wait =
            usage_counts(event) || (event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_CPU_MIGRATIONS);
        if ((event.samples() && !events::samples_rare_faults(event)) || !may_wait) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::uint32_t current_processor() {
    const int processor = sched_getcpu();
    return processor < 0 ? 0 : static_cast<std::uint32_t>(processor);
}

bool Counters::open(const events::Session& session, Descriptors& descriptors, ThreadState* owner, int tid,
                    const Beginning& beginning, const rusage& usage) {
    session_ = &session;
    outcome_ = {};
    tid_ = tid;
    latest_ = {};
    timer_ = {};
    tick_ = {};
    kernel_ticks_ = {};
    events_.reset(session, tid, beginning.tick != 0 ? kFar : beginning.first_period);
    usage_.open(session, tid, usage, {});
    outcome_.silent = silent_;
    const bool postpones = beginning.opening == Opening::kPostponed && may_postpone(session);
    // Without samples performance events could not separate the program's time from the system's: a silent thread has
    // a timer that never runs, and counts by its clocks and getrusage.
    if (session.mechanism == events::Mechanism::kPerfEvents && !silent_ &&
        events_.open(postpones, {descriptors, owner, silent_}, outcome_)) {
        outcome_.kind = CounterKind::kPerfEvents;
        for (std::size_t i = 1; i < session.event_count; ++i) {
            if (!events_.is_open(i) && usage_counts(session.events[i])) {
                usage_.add(i);
            }
        }
        if (beginning.tick != 0) {
            begin_with_ticks(owner, usage);
        } else if (beginning.kernel_ticks && session.kernel_ticks) {
            begin_kernel_ticks(owner, usage);
        }
        return postpones;
    }
    timespec spent{};
    clock_function(CLOCK_THREAD_CPUTIME_ID, &spent);
    usage_.open(session, tid, usage, spent);
    open_timer(owner, usage);
    return false;
}

void Counters::open_timer(ThreadState* owner, const rusage& usage) {
    if (timer_.make(*session_, tid_, owner)) {
        kernel_ticks_.account(usage);
        outcome_.kind = CounterKind::kThreadTimer;
    } else if (outcome_.error == 0) {
        outcome_.error = errno;
    }
}

void Counters::complete(Descriptors& descriptors, ThreadState* owner) {
    // Members that join a running group count nothing before the thread is next scheduled (seen on Linux 6.18). Time
    // that the clock misses while the group is stopped is added.
    timespec stopped{};
    timespec started{};
    clock_function(CLOCK_THREAD_CPUTIME_ID, &stopped);
    events_.begin_completion();
    const CounterOwner whose{descriptors, owner, silent_};
    add_members(stopped, whose);
    events_.add_samples(whose, outcome_);
    clock_function(CLOCK_THREAD_CPUTIME_ID, &started);
    events_.end_completion(nanoseconds(started) - nanoseconds(stopped));
}

void Counters::add_members(const timespec& stopped, const CounterOwner& owner) {
    rusage usage{};
    const bool is_short = owner.descriptors.are_short();
    if (!is_short && own_usage(usage) != nullptr) {
        CounterValues until_now;
        usage_.fill_since_open(usage, stopped, until_now);
        for (std::size_t i = 1; i < session_->event_count; ++i) {
            if (events_.add_member(i, until_now.value[i], owner, outcome_)) {
                usage_.leave(i);
            }
        }
    }
    for (std::size_t i = 1; i < session_->event_count; ++i) {
        if (!events_.is_open(i) && !usage_.has(i)) {
            outcome_.missing |= 1U << i;
            outcome_.error = is_short ? EMFILE : errno;
        }
    }
}

void Counters::enable() {
    if (outcome_.kind == CounterKind::kPerfEvents) {
        events_.set_enabled(true);
    }
    if (needs_timer() && !silent_) {
        set_timer(true);
    }
}

void Counters::disable() {
    if (outcome_.kind == CounterKind::kPerfEvents) {
        events_.set_enabled(false);
    }
    if (needs_timer()) {
        set_timer(false);
    }
}

void Counters::set_silent(bool silent) {
    silent_ = false;
    set_signalling(!silent);
    silent_ = silent;
}

void Counters::set_signalling(bool on) {
    if (silent_ || session_ == nullptr) {
        return;
    }
    events_.set_signalling(on);
    if (needs_timer()) {
        set_timer(on);
    }
}

void Counters::close(Descriptors& descriptors) {
    timer_.close();
    tick_.end();
    kernel_ticks_.end();
    events_.close(descriptors);
    outcome_.kind = CounterKind::kNone;
}

void Counters::abandon(Descriptors& descriptors) {
    timer_.abandon();
    tick_.end();
    kernel_ticks_.end();
    events_.abandon(descriptors);
    outcome_.kind = CounterKind::kNone;
}

void Counters::read(CounterValues& values, const rusage* own) {
    if (outcome_.kind == CounterKind::kPerfEvents) {
        events_.read(values);
        usage_.fill(values, own, latest_);
    } else {
        usage_.read(values, own, latest_);
    }
}

void Counters::at_signal(bool is_timers) {
    if (outcome_.kind != CounterKind::kPerfEvents || events_.has_buffer() || is_timers) {
        return;
    }
    rusage usage{};
    read(latest_, needs_usage() ? own_usage(usage) : nullptr);
    const std::uint64_t late = events_.since_overflow(latest_.value[0], period());
    overflow_time_ = clock_now() - late;
    latest_.value[0] -= late;
    events_.end_first_period(period());
    kernel_ticks_.count_sample();
}

void Counters::choose_trigger(ThreadState* owner) {
    choose_kernel_ticks(owner);
    if (!session_->tick_trigger || tick_.is_refused() || outcome_.kind != CounterKind::kPerfEvents ||
        is_postponed() || !events_.has_buffer() || silent_ || !tick_.is_decision_due(latest_.value[0])) {
        return;
    }
    rusage usage{};
    if (own_usage(usage) == nullptr) {
        return;
    }
    switch (tick_.choose(latest_.value[0], usage)) {
        case TickTrigger::Choice::kTick:
            if (!begin_at_tick(usage, owner)) {
                tick_.refuse();
            }
            break;
        case TickTrigger::Choice::kOverflow:
            end_at_tick();
            break;
        case TickTrigger::Choice::kAsItIs:
            break;
    }
}

void Counters::choose_kernel_ticks(ThreadState* owner) {
    if (!session_->kernel_ticks || outcome_.kind != CounterKind::kPerfEvents || silent_ || samples_by_timer()) {
        return;
    }
    const KernelTicks::Choice choice = kernel_ticks_.choose(latest_.value[0], period());
    if (choice == KernelTicks::Choice::kEnd) {
        set_timer(false);
        kernel_ticks_.end();
    } else if (choice == KernelTicks::Choice::kBegin) {
        rusage usage{};
        if (own_usage(usage) == nullptr) {
            kernel_ticks_.refuse();
        } else {
            begin_kernel_ticks(owner, usage);
        }
    }
}

void Counters::begin_kernel_ticks(ThreadState* owner, const rusage& usage) {
    if (!timer_.is_made() && !timer_.make(*session_, tid_, owner)) {
        kernel_ticks_.refuse();
        return;
    }
    kernel_ticks_.begin(usage);
    set_timer(true);
}

bool Counters::tick_found_kernel(const ucontext_t& context) {
    rusage usage{};
    return session_->kernel_ticks && needs_timer() && own_usage(usage) != nullptr &&
           kernel_ticks_.found_kernel(context, usage);
}

// A new thread, whose leader is far from a sample.
void Counters::begin_with_ticks(ThreadState* owner, const rusage& usage) {
    if (!timer_.make(*session_, tid_, owner)) {
        tick_.refuse();
        events_.set_period(period());
        return;
    }
    follow_ticks(usage);
}

// The leader does not sample for a long time, but continues to count.
bool Counters::begin_at_tick(const rusage& usage, ThreadState* owner) {
    if ((!timer_.is_made() && !timer_.make(*session_, tid_, owner)) || !events_.set_period(kFar)) {
        return false;
    }
    follow_ticks(usage);
    return true;
}

void Counters::follow_ticks(const rusage& usage) {
    kernel_ticks_.end();
    kernel_ticks_.account(usage);
    tick_.begin(latest_.value[0], usage);
    set_timer(true);
}

void Counters::end_at_tick() {
    set_timer(false);
    tick_.end();
    events_.set_period(period());
}

bool Counters::read_at_tick(bool is_timers, bool* in_kernel) {
    // The signal may be another event's, or one of an event and a timer together.
    if (!events_.read_group(0, latest_) || !(is_timers || tick_.is_sample_due(latest_.value[0], period()))) {
        return false;
    }
    events_.read_other_groups(0, latest_);
    rusage usage{};
    const rusage* own = own_usage(usage);
    usage_.fill(latest_, own, latest_);
    if (own == nullptr) {
        return false;
    }
    *in_kernel = tick_.take(latest_.value[0], usage);
    return true;
}

}  // namespace kymo::monitor
