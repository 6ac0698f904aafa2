// What /proc tells of the pid namespace that a process is in, and of the one that a mounted /proc numbers processes
// by. Bare system calls: usable in the monitor; errno is kept. 0: not known, there is no /proc.
#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

// The decimal number in what the link names, behind the last `before` in it; 0: none there.
inline std::uint64_t number_behind_link(const char* link, std::string_view before) {
    const int saved = errno;
    char text[64];
#ifdef SYS_readlink
    const long size = syscall(SYS_readlink, link, text, sizeof text);
#else
    const long size = syscall(SYS_readlinkat, AT_FDCWD, link, text, sizeof text);
#endif
    errno = saved;
    const std::string_view name(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::size_t at = before.empty() ? 0 : name.rfind(before);
    if (at == std::string_view::npos) {
        return 0;
    }
    std::uint64_t number = 0;
    for (std::size_t i = at + before.size(); i < name.size() && name[i] >= '0' && name[i] <= '9'; ++i) {
        number = number * 10 + static_cast<std::uint64_t>(name[i] - '0');
    }
    return number;
}

// By its inode: the same for all processes of one namespace.
inline std::uint64_t own_pid_namespace() {
    return number_behind_link("/proc/self/ns/pid", "[");
}

// Each mounted procfs is a device of its own, and numbers by one namespace.
inline std::uint64_t proc_device() {
    const int saved = errno;
    struct stat status{};
    const long result = syscall(SYS_newfstatat, AT_FDCWD, "/proc", &status, 0);
    errno = saved;
    return result == 0 ? static_cast<std::uint64_t>(status.st_dev) : 0;
}

}  // namespace kymo
