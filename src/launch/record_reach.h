// How the kernel's records of tasks and switches are taken, by the number of processors.
//
// Inherited: one event a processor on the program, which the kernel copies into every thread and process that it
// starts. It needs no privileges, and nothing of other programs is seen; but each copy costs the new thread some 5 µs
// and 1.2 KiB of the kernel's memory a processor (docs/monitor.md). 16 processors: 80 µs and 20 KiB a thread.
// Whole machine: one event a processor for all tasks; nothing is copied, the parent keeps the records of its own tree
// (process_tree.h). It needs CAP_PERFMON, or kernel.perf_event_paranoid 0. Not for the ranks of a job, each of which
// would read the records of all others.
//
// Own: each measured thread has one event on itself, whatever the number of processors, and empties its own page of
// records (monitor/sampling/own_switches.h), for some 20 µs a thread. No privileges. Then nothing is known of threads
// and processes that are not measured.
//
// So past kMostInherited processors the whole machine's are tried first, then the threads' own. Pure
// functions.
#pragma once

#include "events/probe.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kymo::launch {

enum class RecordReach : std::uint8_t { kInherited, kWholeMachine, kOwn };

inline constexpr unsigned kMostInherited = 16;

// In the order in which to try them. `asked`: "inherited", "machine", "own" or "none" decides it (the variable
// KYMO_KERNEL_RECORDS); any other value is ignored.
std::vector<RecordReach> record_reaches(unsigned processors, bool rank_of_job, std::string_view asked);

// Why there are no records of whole process trees, if record_reaches() leaves out what would give them.
events::Refusal why_not_inherited(unsigned processors, bool rank_of_job, std::string_view asked);

}  // namespace kymo::launch
