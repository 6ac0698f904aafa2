// Numbers in the names that links below /proc lead to. A bare system call: usable in the monitor; errno is kept.
#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

// The decimal number behind the last `before` in the name; 0: none, or no such link.
inline std::uint64_t number_behind_link(const char* link, std::string_view before) {
    const int saved = errno;
    char text[64];
    const long size = syscall(SYS_readlinkat, AT_FDCWD, link, text, sizeof text);
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

}  // namespace kymo
