// Calls of files that go straight to the kernel if glibc's wrapper is a cancellation point: a thread of the
// program with a pending cancellation must not die inside the monitor.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace kymo::recording {

// −1, and errno: refused.
int open_raw(const char* path, int flags, mode_t mode);
int close_raw(int descriptor);
int lock_raw(int descriptor);
// The same file at a number that is not below `floor`, if the limit on descriptors allows that.
int move_up(int descriptor, int floor);

// Room for these bytes of the file. 0, or an errno.
int allocate_by_kernel(int descriptor, std::uint64_t offset, std::uint64_t bytes);
// For file systems without fallocate. The range is the caller's own, so no rows are overwritten.
int allocate_by_zeros(int descriptor, std::uint64_t offset, std::uint64_t bytes);

}  // namespace kymo::recording
