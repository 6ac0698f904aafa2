// The kernel's events that programs are sampled by.
//
// Of each thread and processor, or of each processor where all that runs is measured: one that lasts, whose ring has
// what happens to processes (mappings of code, names, births, ends, switches), and those that take samples, which may
// be opened again while it lasts.
#pragma once

#include "base/result.h"
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

struct SampleSettings {
    std::uint64_t frequency = 1000;    // samples a second of processor time
    std::uint32_t stack_bytes = 8192;  // of each sample, at first; a multiple of 8 below 64 KiB
    bool fits_stack = true;            // more of the stack, or less, from when paths need that on
    bool on_exec = false;              // the events count from the thread's exec on, without enable()
};
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

// Positions of the events that take samples, as of a file of events.
inline constexpr std::uint32_t kClock = 0;
inline constexpr std::uint32_t kSwitches = 1;

inline constexpr std::uint32_t kWakes = 2;

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

// As of a file of events; without ids.
import::perf::Attribute described(const perf_event_attr& attr, const char* name);

// Records that this event's ring had no room for, whatever its records of that say: they come with the next record
// that there is room for. 0: the kernel does not count them (before Linux 6.0).
std::uint64_t lost_by(int descriptor, const perf_event_attr& attr);

// Why perf_event_open() or its kin end with this errno, and what next.
Error refusal(int error);

}  // namespace kymo::attach
