// Filters of system calls that the program installs on itself (seccomp): what they would do to the monitor's own.
//
// A filter that is made for what the program does may kill it for a call that only the monitor makes. So before one
// is installed (prctl, seccomp, and both by syscall()), it is asked about each of the monitor's calls. Where one
// would kill, measurement ends there: what was measured is written, counters are closed, and the report says so; what
// the process becomes by exec is then started without the monitor. A filter that refuses by an errno is another rung
// of the ladder (counters.h), and measurement goes on.
//
// Strict mode allows read, write, _exit and sigreturn, and ends measurement always. Filters that are installed by an
// instruction of the program's own are not seen.
#pragma once

#include <cstdint>

namespace kymo::monitor {

// Whether measurement has ended for a filter of this process: programs that it starts inherit that.
bool is_barred_by_filter();

// Whether all filters allow the monitor's optional calls: which signals are pending, and which handlers are set.
bool may_ask_about_signals();

// Before the program installs a filter: the sock_fprog at address `program`, or strict mode. That the call may yet
// fail (no rights, not a filter) costs no more than the measurement.
void before_filter(bool strict, std::uint64_t program);

}  // namespace kymo::monitor
