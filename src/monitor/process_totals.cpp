// The process's own counters: the kernel's total of every event over all threads, beside the sum that the threads
// give.
//
// One inherited counter an event, opened before the second thread exists; inherited by threads only, so that a forked
// child's events are not counted twice.

#include "events/attributes.h"
#include "monitor/process.h"

#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

void Process::open_process_counters() {
    if (session_.mechanism != events::Mechanism::kPerfEvents) {
        return;
    }
    for (std::size_t i = 0; i < session_.event_count; ++i) {
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
}

void Process::close_process_counters() {
    for (int& counter : process_counter_) {
        if (counter >= 0) {
            descriptors_.close(counter);
        }
        counter = -1;
    }
}

// Fills in the totals in session order; returns how many there are (0: not known).
std::uint32_t Process::read_process_totals(std::uint64_t* totals) {
    if (session_.mechanism == events::Mechanism::kPerfEvents) {
        for (std::uint32_t i = 0; i < session_.event_count; ++i) {
            totals[i] = 0;
            if (process_counter_[i] >= 0 && syscall(SYS_read, process_counter_[i], &totals[i], sizeof totals[i]) !=
                                                static_cast<long>(sizeof totals[i])) {
                totals[i] = 0;
            }
        }
        return process_counter_[0] >= 0 ? session_.event_count : 0;
    }
    rusage usage{};
    timespec spent{};
    if (getrusage(RUSAGE_SELF, &usage) != 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0) {
        return 0;
    }
    CounterValues values;
    Counters::fill_from_usage(session_, usage, spent, values);
    for (std::uint32_t i = 0; i < session_.event_count; ++i) {
        totals[i] = values.value[i];
    }
    return session_.event_count;
}

}  // namespace kymo::monitor
