// perf_event_attr for one event of a session on one thread, and the system call that opens it.
//
// Usable in the monitor: pure except for the system call, no state.
//
// What every counter has: CLOCK_MONOTONIC time stamps, made disabled (set_group_enabled), not
// inherited, a wake-up with every sample, the hypervisor left out, and the same sample layout for all (kSampleType),
// so that one parser serves every ring (events/ring.h). Events that sample never count the kernel, also as root:
// their signals would otherwise end timed waits with EINTR. The clocks are only apparently an exception: with
// exclude_kernel they still count all of the thread's time and only deliver no sample where it ran in the kernel.
#pragma once

#include "events/session.h"

#include <cstdint>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::events {

// Without PERF_SAMPLE_PERIOD: with it, the kernel reports every single software event, whatever the requested
// period (perf_swevent_event; measured: 12,022 samples of 12,515 page faults at period 10).
inline constexpr std::uint64_t kSampleType =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_READ;
inline constexpr std::uint64_t kReadFormat =
    PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
inline constexpr std::uint64_t kReadFormatLost = 1U << 4U;  // PERF_FORMAT_LOST: Linux 6.0, newer than some headers

inline bool is_clock(const SessionEvent& event) {
    return event.type == PERF_TYPE_SOFTWARE &&
           (event.config == PERF_COUNT_SW_TASK_CLOCK || event.config == PERF_COUNT_SW_CPU_CLOCK);
}

// Happens in the kernel and nowhere else, so that with exclude_kernel the kernel counts none: context-switches,
// cpu-migrations, cgroup-switches and tracepoints. Such an event cannot sample here either.
inline bool counts_only_in_kernel(const SessionEvent& event) {
    constexpr std::uint64_t kCgroupSwitches = 11;  // PERF_COUNT_SW_CGROUP_SWITCHES, Linux 5.13
    return event.type == PERF_TYPE_TRACEPOINT ||
           (event.type == PERF_TYPE_SOFTWARE &&
            (event.config == PERF_COUNT_SW_CONTEXT_SWITCHES || event.config == PERF_COUNT_SW_CPU_MIGRATIONS ||
             event.config == kCgroupSwitches));
}

// Page faults sampled as rarely as by default: little is lost where a thread begins without them.
inline bool samples_rare_faults(const SessionEvent& event) {
    return event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_PAGE_FAULTS &&
           event.mode == Mode::kPeriod && event.value >= kDefaultFaultPeriod;
}

// Nanoseconds between two samples of a clock: exact, where attr.freq would only be steered towards.
inline std::uint64_t clock_period_ns(const SessionEvent& event) {
    if (event.mode == Mode::kFrequency) {
        const std::uint64_t period = event.value != 0 ? 1'000'000'000U / event.value : 0;
        return period != 0 ? period : 1;
    }
    return event.value;
}

// `read_lost`: Session::read_lost.
inline perf_event_attr make_attributes(const SessionEvent& event, bool read_lost) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = event.type;
    attr.config = event.config;
    attr.config1 = event.config1;
    attr.config2 = event.config2;
    attr.sample_type = kSampleType;
    attr.read_format = kReadFormat | (read_lost ? kReadFormatLost : 0);
    attr.disabled = 1;
    attr.exclude_hv = 1;
    attr.exclude_kernel = event.user_only || event.samples() || is_clock(event) ? 1 : 0;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.wakeup_events = 1;
    if (event.samples()) {
        attr.precise_ip = event.precise & 3U;
        if (is_clock(event)) {
            attr.sample_period = clock_period_ns(event);
        } else if (event.mode == Mode::kFrequency) {
            attr.freq = 1;
            attr.sample_freq = event.value;
        } else {
            attr.sample_period = event.value;
        }
    }
    return attr;
}

// Records of the switches of one thread, and of nothing else. They wake no thread and send no signal.
inline perf_event_attr own_switch_attributes() {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    attr.sample_id_all = 1;
    attr.context_switch = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return attr;
}

// perf_event_open(2): a descriptor (close on exec), or −1 and errno. thread 0: the calling one. leader −1: a group
// of its own.
//
// Members of a group are opened enabled: they follow their leader. Members that are disabled and enabled one by
// one (as PERF_IOC_FLAG_GROUP does) stay at 0 until the thread is next scheduled, if their PMU is not the
// leader's, and task-clock and page-faults are of different PMUs (seen on Linux 6.18). So a group is switched by
// its leader alone: set_group_enabled().
inline int open_counter(perf_event_attr& attr, int thread, int processor, int leader) {
    if (leader >= 0) {
        attr.disabled = 0;
    }
    return static_cast<int>(syscall(SYS_perf_event_open, &attr, thread, processor, leader,
                                    static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

// Starts or stops a whole group. Never with PERF_IOC_FLAG_GROUP: see open_counter. 0, or −1 and errno.
inline int set_group_enabled(int leader, bool enabled) {
    return ioctl(leader, enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

}  // namespace kymo::events
