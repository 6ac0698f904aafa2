// The environment of programs that this process starts: they are measured too if it preloads the monitor and names
// the session. Programs may be started with an emptied environment (login shells, sandboxes, job starters); if the
// call is interposed, missing variables are added to a copy.
//
// If the program to be started cannot have the monitor (program_file.h), it is removed from the copy instead. If a
// library must come before it, that is put in front with two colons behind it, and the program's monitor removes
// it from its environment again, because what that program starts may be of another kind.
//
// Everything here may run in a vfork child, which borrows the parent's memory: only the caller's own stack is
// written. No malloc, no locks. An environment that has both is passed on unchanged, the same pointer; one that
// names another session keeps it. Cost: one pass over the environment.
#pragma once

#include "monitor/interpose/seccomp.h"
#include "monitor/process/program_file.h"

#include <cstddef>

namespace kymo::monitor {

// Keeps the data for children, and removes from the own environment what was put there for this program alone; for
// a program that is not measured, the monitor itself. Call once, when measurement has begun or not, while there is
// one thread.
void remember_for_children();

// Bytes of stack that carry() needs for this environment; 0: nothing to change. `environment` may be null (empty).
// `fit`: whether the program can have the monitor, and behind which library.
std::size_t carry_bytes(char* const environment[], const Fit& fit);
// The environment with what was missing, or without the monitor, in `space` of carry_bytes() bytes; the strings are
// the caller's and ours.
char* const* carry(char* const environment[], const Fit& fit, void* space);

// Whether the dynamic loader of a program started now could read the monitor: in another root folder, or as
// another user, it would print to the program's error stream that it cannot. Reports if not. Keeps errno. Cost:
// about 2 µs.
bool is_library_readable();

// Calls act(environment to start the program with) and returns its result. What it passes lives until then.
template <typename Act>
auto with_monitor(char* const environment[], Fit fit, const Act& act) {
    fit.is_fit = fit.is_fit && !is_barred_by_filter() && is_library_readable();
    const std::size_t bytes = carry_bytes(environment, fit);
    if (bytes == 0) {
        return act(environment);
    }
    return act(carry(environment, fit, __builtin_alloca_with_align(bytes, 8 * alignof(char*))));
}

}  // namespace kymo::monitor
