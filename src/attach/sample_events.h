// The kernel's events that programs are sampled by.
//
// Of each thread and processor, or of each processor where all that runs is measured: one that lasts, whose ring has
// what happens to processes (mappings of code, names, births, ends, switches), and those that take samples, which may
// be opened again while it lasts.
#pragma once

#include "base/result.h"
#include "events/session.h"
#include "import/perf/attribute.h"

#include <cstdint>
#include <linux/perf_event.h>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace kymo::attach {

// One of the three.
struct Scope {
    std::vector<pid_t> threads;  // these, and what they start
    int cgroup = -1;             // descriptor of a control group's directory: its processes
    bool machine = false;        // all that runs

    bool is_tree() const { return !machine && cgroup < 0; }
};

inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
struct SampleSettings {
    std::uint64_t clock_period_ns = kNsPerSecond / 1000;  // of processor time, between two samples
    std::uint32_t stack_bytes = 8192;                     // of each sample, at first; a multiple of 8 below 64 KiB
    bool fits_stack = true;  // more of the stack, or less, from when the clock's paths need that on
    bool on_exec = false;    // the events count from the thread's exec on, without enable()
    std::vector<events::SessionEvent> asked = {};  // others that take samples (asked_events.h)
};

// Positions of the events that take samples, as of a file of events: these two, then those that were asked for, then
// the tracepoint of wakings. Without the kernel there is no second one, and the others follow the first.
inline constexpr std::uint32_t kClock = 0;
inline constexpr std::uint32_t kSwitches = 1;

// The tracepoint whose samples say who wakes which thread (import/waits/wakes.h). kPermission, kUnsupported: this
// user may not have it; with the remedy.
Result<std::uint64_t> waking_tracepoint();

// The lasting event. With the number of that tracepoint its samples come as well: of threads, where they are woken
// and where they wake others, so that the kernel leaves out all else; of a control group, where its threads wake
// others.
perf_event_attr lasting_event(const Scope& scope, const SampleSettings& settings, bool with_kernel,
                              std::optional<std::uint64_t> waking);

// The clock's samples come as processor time passes; those of the second event at every loss of the processor, which
// is where a thread begins to wait. Without the kernel there is no second one: the processor is lost inside it.
std::vector<perf_event_attr> sampling_events(const Scope& scope, const SampleSettings& settings, bool with_kernel);

// One that was asked for. It lasts: its samples keep the size of the stack that they have at first.
perf_event_attr asked_event(const events::SessionEvent& event, const Scope& scope, const SampleSettings& settings,
                            bool with_kernel);

// As of a file of events; without ids.
import::perf::Attribute described(const perf_event_attr& attr, const char* name);

// Records that this event's ring had no room for, whatever its records of that say: they come with the next record
// that there is room for. 0: the kernel does not count them (before Linux 6.0).
std::uint64_t lost_by(int descriptor, const perf_event_attr& attr);

// Why perf_event_open() or its kin end with this errno, and what next. `asked`: so many events were asked for.
Error refusal(int error, std::size_t asked);

}  // namespace kymo::attach
