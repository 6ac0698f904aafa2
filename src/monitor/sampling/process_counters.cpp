#include "monitor/sampling/process_counters.h"

#include "events/attributes.h"
#include "monitor/sampling/usage.h"

#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

constinit ProcessCounters process_counters;

namespace {

bool is_migrations(const events::SessionEvent& event) {
    return event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_CPU_MIGRATIONS;
}

// If the threads count user mode only, so must the process: usage has both. Faults, which every session has, are not
// worth 5 µs a thread: the threads' faults of user mode are beside all of the process's.
bool is_inherited(const events::SessionEvent& event) {
    if (events::is_clock(event) || is_migrations(event) || events::samples_rare_faults(event)) {
        return false;
    }
    return !usage_counts(event) || event.user_only || event.samples();
}

bool read_usage(CounterValues& values) {
    rusage usage{};
    timespec spent{};
    if (getrusage(RUSAGE_SELF, &usage) != 0 || clock_function(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0) {
        return false;
    }
    fill_from_usage(process.session(), usage, spent, values);
    return true;
}

}  // namespace

bool ProcessCounters::begin() {
    for (int& counter : counter_) {
        counter = -1;
    }
    open();
    return true;
}

void ProcessCounters::after_fork(ThreadState* /*own*/) {
    for (auto& total : ended_) {
        total.store(0);
    }
    close();
    if (process.session().follow) {
        open();
    }
}

void ProcessCounters::open() {
    const events::Session& session = process.session();
    for (std::size_t i = 0; i < session.event_count; ++i) {
        if (session.mechanism != events::Mechanism::kPerfEvents || !is_inherited(session.events[i])) {
            continue;
        }
        events::SessionEvent counting = session.events[i];
        const bool user_only = counting.user_only || (counting.samples() && !events::is_clock(counting));
        counting.mode = events::Mode::kCount;
        counting.user_only = user_only;
        perf_event_attr attr = events::make_attributes(counting, false);
        attr.sample_type = 0;
        attr.read_format = 0;  // a group's format cannot be inherited
        attr.sample_id_all = 0;
        attr.wakeup_events = 0;
        attr.disabled = 0;
        attr.inherit = 1;
        attr.inherit_thread = 1;
        int counter = events::open_counter(attr, 0, -1, -1);
        if (counter < 0 && (errno == EACCES || errno == EPERM)) {
            attr.exclude_kernel = 1;
            counter = events::open_counter(attr, 0, -1, -1);
        }
        counter_[i] = counter < 0 ? -1 : process.descriptors().adopt(counter, nullptr);
    }
    read_usage(usage_before_);
}

void ProcessCounters::close() {
    for (int& counter : counter_) {
        if (counter >= 0) {
            process.descriptors().close(counter);
        }
        counter = -1;
    }
}

void ProcessCounters::add_ended(const CounterValues& values) {
    for (std::size_t i = 0; i < process.session().event_count; ++i) {
        ended_[i].fetch_add(values.value[i], std::memory_order_relaxed);
    }
}

void ProcessCounters::read_ended(CounterValues& totals) const {
    for (std::size_t i = 0; i < events::kMaxEvents; ++i) {
        totals.value[i] = ended_[i].load(std::memory_order_relaxed);
    }
}

std::uint32_t ProcessCounters::read(CounterValues& totals) {
    const events::Session& session = process.session();
    CounterValues now;
    if (!read_usage(now)) {
        return 0;
    }
    const bool by_events = session.mechanism == events::Mechanism::kPerfEvents;
    for (std::uint32_t i = 0; i < session.event_count; ++i) {
        std::uint64_t& total = totals.value[i];
        if (!by_events || !is_migrations(session.events[i])) {
            total = since(now.value[i], usage_before_.value[i]);
        }
        if (by_events && counter_[i] >= 0 &&
            syscall(SYS_read, counter_[i], &total, sizeof total) != static_cast<long>(sizeof total)) {
            total = 0;
        }
    }
    return session.event_count;
}

}  // namespace kymo::monitor
