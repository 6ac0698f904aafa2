// fcntl for the monitor itself: by the system call. The function of that name is the program's, or one that the
// monitor interposes (waits/file_locks.cpp).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

// As fcntl(), with errno.
template <typename Argument>
int own_fcntl(int file, int command, Argument argument) {
    return static_cast<int>(syscall(SYS_fcntl, file, command, argument));
}

}  // namespace kymo::monitor
