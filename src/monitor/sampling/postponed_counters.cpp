// A new thread's counters in two steps: the one that samples at once, the others at its first overflow
// (docs/monitor.md has what that saves).

#include "events/attributes.h"
#include "monitor/clock.h"
#include "monitor/sampling/counters.h"

#include <cerrno>
#include <ctime>
#include <sys/ioctl.h>
#include <sys/resource.h>

namespace kymo::monitor {

// The leader alone samples, or nearly so, and the members may wait.
bool Counters::may_postpone(const events::Session& session) {
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

void Counters::complete(Descriptors& descriptors, ThreadState* owner) {
    postponed_ = false;
    // Members that join a running group count nothing before the thread is next scheduled (seen on Linux 6.18). What
    // the clock misses while the group stands still is added.
    timespec stopped{};
    timespec started{};
    rusage usage{};
    clock_function(CLOCK_THREAD_CPUTIME_ID, &stopped);
    events::set_group_enabled(leader_[0], false);
    ioctl(descriptor_[0], PERF_EVENT_IOC_ID, &id_[0]);
    if (!descriptors.are_short() && getrusage(RUSAGE_THREAD, &usage) == 0) {
        CounterValues until_now;
        fill_since_open(usage, stopped, until_now);
        for (std::size_t i = 1; i < session_->event_count; ++i) {
            descriptor_[i] = open_one(i, leader_[0], descriptors, owner);
            if (descriptor_[i] < 0) {
                continue;
            }
            ioctl(descriptor_[i], PERF_EVENT_IOC_ID, &id_[i]);
            before_[i] = until_now.value[i];
            by_usage_ &= ~(1U << i);
        }
    }
    for (std::size_t i = 1; i < session_->event_count; ++i) {
        if (descriptor_[i] < 0 && (by_usage_ >> i & 1U) == 0) {
            outcome_.missing |= 1U << i;
            outcome_.error = descriptors.are_short() ? EMFILE : errno;
        }
    }
    outcome_.no_buffer = !map_buffer();
    for (std::size_t i = 1; i < session_->event_count; ++i) {
        if (descriptor_[i] >= 0 && session_->events[i].samples()) {
            join_samples(i);
        }
    }
    clock_function(CLOCK_THREAD_CPUTIME_ID, &started);
    before_[0] = nanoseconds(started) - nanoseconds(stopped);
    events::set_group_enabled(leader_[0], true);
}

}  // namespace kymo::monitor
