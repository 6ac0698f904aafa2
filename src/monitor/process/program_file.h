// Whether the monitor may be preloaded into a program that this process is about to start.
//
// A dynamic loader of another word size prints an error for each library that it cannot preload, and musl's
// refuses to start the program. So the file is examined first: its ELF header and the name of its loader; for a
// script, its interpreter's, as deep as the kernel goes.
//
// It is also searched for sanitizers' run times (image/sanitizer.h): one excludes the monitor, another must be
// preloaded before it.
//
// Runs where exec runs, also in a vfork child: system calls and 1 KiB of stack, nothing is written elsewhere.
// Keeps errno. Cost: about 8 µs, 20 system calls. If it cannot be determined (no such file, not readable) the
// program counts as fit: it then fails by itself, or loses nothing that it had.
#pragma once

#include "image/sanitizer.h"

namespace kymo::monitor {

struct Fit {
    bool is_fit = true;
    char first[image::Sanitizer::kLibraryBytes] = {};  // a library to be preloaded before the monitor; empty: none
};

// `path` as for execve(2), relative to `folder` (AT_FDCWD). Null: not known, fit.
Fit fit_of_program(int folder, const char* path);
// The file behind a descriptor.
Fit fit_of_program(int descriptor);
// The file that execvp(3) would find for `file`.
Fit fit_of_found_program(const char* file);

}  // namespace kymo::monitor
