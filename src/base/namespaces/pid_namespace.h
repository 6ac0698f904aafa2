// The pid namespace of a process, and the one whose numbers a mounted /proc uses, as read from /proc. Bare system
// calls: usable in the monitor; errno is kept. 0: not known, no /proc.
#pragma once

#include "base/namespaces/proc_link.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

// By its inode: the same for all processes of one namespace.
inline std::uint64_t own_pid_namespace() {
    return number_behind_link("/proc/self/ns/pid", "[");
}

// Each mounted procfs is a device of its own, with the numbers of one namespace.
inline std::uint64_t proc_device() {
    const int saved = errno;
    struct stat status{};
    const long result = syscall(SYS_newfstatat, AT_FDCWD, "/proc", &status, 0);
    errno = saved;
    return result == 0 ? static_cast<std::uint64_t>(status.st_dev) : 0;
}

}  // namespace kymo
