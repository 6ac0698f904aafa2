// The process's own counters: the kernel's total of every event over all threads, beside the sum that the threads
// give.
//
// What the kernel keeps of every process anyhow (getrusage) is taken from there. Migrations, which it does not, are
// the sum of the threads'. For each other event one counter is inherited, opened before the second thread exists; by
// threads only, so that a forked child's events are not counted twice. An inherited counter costs every new thread
// about 5 µs, which is why those that threads are made without do without.

#include "events/attributes.h"
#include "monitor/process/process.h"

#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

bool is_migrations(const events::SessionEvent& event) {
    return event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_CPU_MIGRATIONS;
}

// Where the threads count user mode only, so must the process: usage has both. Not worth 5 µs a thread are the faults
// that every session has: beside the threads' faults of user mode stand all of the process's.
bool is_inherited(const events::SessionEvent& event) {
    if (events::is_clock(event) || is_migrations(event) || events::samples_rare_faults(event)) {
        return false;
    }
    return !Counters::usage_counts(event) || event.user_only || event.samples();
}

}  // namespace

bool Process::read_usage(CounterValues& values) const {
    rusage usage{};
    timespec spent{};
    if (getrusage(RUSAGE_SELF, &usage) != 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0) {
        return false;
    }
    Counters::fill_from_usage(session_, usage, spent, values);
    return true;
}

void Process::open_process_counters() {
    if (session_.mechanism != events::Mechanism::kPerfEvents) {
        return;
    }
    for (std::size_t i = 0; i < session_.event_count; ++i) {
        if (!is_inherited(session_.events[i])) {
            continue;
        }
        events::SessionEvent counting = session_.events[i];
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
        process_counter_[i] = counter < 0 ? -1 : descriptors_.adopt(counter, nullptr);
    }
    read_usage(usage_before_);
}

void Process::close_process_counters() {
    for (int& counter : process_counter_) {
        if (counter >= 0) {
            descriptors_.close(counter);
        }
        counter = -1;
    }
}

// `totals`: the sums of the threads, in session order, made the process's where that is known. Returns how many there
// are (0: not known).
std::uint32_t Process::read_process_totals(std::uint64_t* totals) {
    if (session_.mechanism == events::Mechanism::kPerfEvents) {
        CounterValues now;
        if (!read_usage(now)) {
            return 0;
        }
        for (std::uint32_t i = 0; i < session_.event_count; ++i) {
            if (!is_migrations(session_.events[i])) {
                totals[i] = now.value[i] - usage_before_.value[i];
            }
            if (process_counter_[i] >= 0 && syscall(SYS_read, process_counter_[i], &totals[i], sizeof totals[i]) !=
                                                static_cast<long>(sizeof totals[i])) {
                totals[i] = 0;
            }
        }
        return session_.event_count;
    }
    CounterValues values;
    if (!read_usage(values)) {
        return 0;
    }
    for (std::uint32_t i = 0; i < session_.event_count; ++i) {
        totals[i] = values.value[i];
    }
    return session_.event_count;
}

}  // namespace kymo::monitor
