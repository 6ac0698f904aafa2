// Whether the monitor may be preloaded into a program that this process is about to start.
//
// A dynamic loader of another word size prints an error for each library that it cannot preload, and musl's refuses
// to start the program. So the file is looked at first: its ELF header and the name of its loader; for a script, its
// interpreter's, as deep as the kernel goes.
//
// Runs where exec runs, also in a vfork child: system calls and 700 bytes of stack, nothing is written elsewhere.
// Keeps errno. Cost: about 3 µs, five system calls. What cannot be found out (no such file, not readable) counts as
// fit: the program then fails by itself, or loses nothing that it had.
#pragma once

namespace kymo::monitor {

// `path` as for execve(2), relative to `folder` (AT_FDCWD). Null: not known, fit.
bool is_fit_for_monitor(int folder, const char* path);
// The file behind a descriptor.
bool is_fit_for_monitor(int descriptor);
// The file that execvp(3) would find for `file`.
bool is_found_fit_for_monitor(const char* file);

}  // namespace kymo::monitor
