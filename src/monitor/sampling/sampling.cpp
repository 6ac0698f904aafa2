#include "monitor/sampling/sampling.h"

#include "monitor/hunt/hunt.h"
#include "monitor/interpose/own_handler.h"
#include "monitor/interpose/program_signals.h"
#include "monitor/native.h"
#include "monitor/process/log.h"
#include "monitor/sampling/ended_threads.h"
#include "monitor/sampling/first_period.h"
#include "monitor/sampling/signal_entry.h"
#include "monitor/sampling/unavailable.h"
#include "monitor/threads/registry.h"

namespace kymo::monitor {

constinit Sampling sampling;

namespace {

constinit EndedThreads ended_threads;

bool samples_clock() {
    const events::SessionEvent& first = process.session().events[0];
    return first.samples() && events::is_clock(first);
}

// Records how the counters have actually begun.
void settle(Beginning& beginning, const Counters& counters) {
    const bool is_timed = counters.kind() == CounterKind::kThreadTimer;
    if (is_timed && beginning.first_period != 0) {
        beginning.tick = process.session().tick_ns;
    } else if (!is_timed && !counters.is_at_tick()) {
        beginning.tick = 0;
    }
    if (counters.kind() != CounterKind::kPerfEvents) {
        beginning.first_period = 0;
    }
}

}  // namespace

bool Sampling::begin() {
    kymo_signal_owners.has_keys = native::has_protection_keys() ? 1 : 0;
    if (!install_handler()) {
        return false;
    }
    remember_handler(static_cast<int>(process.session().signal));
    return true;
}

void Sampling::thread_begin(ThreadState& thread) {
    thread.last = {};
    thread.last_metrics = {};
    thread.metric_cells = nullptr;
    for (std::uint64_t& counted : thread.metrics_counted) {
        counted = 0;
    }
    thread.tree.clear();
    thread.samples = thread.merged = thread.monitor_ns = thread.taken_ns = 0;
    thread.own_work_begin = thread.own_work_end = thread.own_work_ns = thread.own_work_written = 0;
    thread.own_system_ns = thread.own_calls_written = 0;
    thread.debt = {};
    for (std::uint64_t& count : thread.paths) {
        count = 0;
    }
    thread.pauses_seen = process.resumes();
    thread.unwritten_seen = thread.writer.unwritten();
    thread.muted = false;
    rusage usage{};
    own_usage(usage);
    thread.before = usage_so_far(usage);
    thread.counters.open(process.session(), process.descriptors(), &thread, thread.tid, thread.beginning, usage);
    settle(thread.beginning, thread.counters);
    if (!process_log.is_short()) {
        tell_unavailable(thread.counters.outcome());  // otherwise announce() reports it
    }
}

Beginning Sampling::of_created_thread() {
    Beginning beginning;
    if (samples_clock() && !hunt.on()) {
        if (process.session().tick_trigger && process.session().tick_ns != 0 && ended_threads.were_switched_often()) {
            beginning.tick = process.session().tick_ns;
            return beginning;
        }
        const std::uint64_t period = events::clock_period_ns(process.session().events[0]);
        beginning.first_period = draw_first_period(period, clock_now() ^ reinterpret_cast<std::uint64_t>(&beginning));
        beginning.kernel_ticks = ended_threads.spent_system_time();
    }
    return beginning;
}

void Sampling::add_ended(const ThreadState& thread, const CounterValues& values) {
    const Beginning& beginning = thread.beginning;
    if (beginning.first_period != 0 || beginning.tick != 0) {
        const std::uint64_t period =
            beginning.tick != 0 ? beginning.tick : events::clock_period_ns(process.session().events[0]);
        ended_threads.add(values.value[0], thread.switches_at_end, thread.samples, period);
    }
}

void Sampling::begin_counting(ThreadState& thread) {
    if (process.paused()) {
        thread.counters.disable();
    } else if (!thread.counters.is_postponed()) {
        thread.counters.enable();
    }
}

void Sampling::thread_end(ThreadState& thread) {
    thread.counters.close(process.descriptors());
}

void Sampling::after_fork(ThreadState* /*own*/) {
    forget_what_was_told();
    ended_threads.clear();
    threads.for_each([](ThreadState& thread) { thread.counters.abandon(process.descriptors()); });
}

void Sampling::finish(Process::End /*how*/) {
    tell_if_handler_is_gone(static_cast<int>(process.session().signal));
}

void Sampling::complete_counters(ThreadState& thread) {
    thread.counters.complete(process.descriptors(), &thread);
    tell_unavailable(thread.counters.outcome());
    if (process.paused()) {
        thread.counters.disable();  // it may have been paused in between
    }
}

void Sampling::pause() {
    process.set_paused(true);
    stop();
}

void Sampling::resume() {
    process.set_paused(false);
    threads.for_each([](ThreadState& thread) { thread.counters.enable(); });
}

void Sampling::stop() {
    threads.for_each([](ThreadState& thread) { thread.counters.disable(); });
}

}  // namespace kymo::monitor
