// Filters of system calls that the program installs on itself (seccomp): their effect on the monitor's own calls.
//
// A filter made for the program's own calls may kill it for a call that only the monitor makes. So before one is
// installed (prctl, seccomp, and both by syscall()), it is evaluated for each of the monitor's calls. If it would
// kill, measurement ends there: the results so far are written, counters are closed, and the report has a note; a
// program that the process executes later is started without the monitor. A filter that refuses by an errno is
// another rung of the ladder (counters.h), and measurement continues.
//
// Strict mode allows read, write, _exit and sigreturn, and ends measurement always. Filters that are installed by
// an instruction of the program's own are not detected.
#pragma once

#include <cstdint>

namespace kymo::monitor {

// Whether measurement has ended because of a filter of this process: programs that it starts inherit it.
bool is_barred_by_filter();

// Whether all filters allow the monitor's optional calls: which signals are pending, and which handlers are set.
bool may_ask_about_signals();

// Before the program installs a filter: the sock_fprog at address `program`, or strict mode. If the call then
// fails (no rights, not a filter), only the measurement is lost.
void before_filter(bool strict, std::uint64_t program);

}  // namespace kymo::monitor
