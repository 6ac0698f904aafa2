// Whether a file may grow to `end` bytes under RLIMIT_FSIZE. Growing it further raises SIGXFSZ, which kills the
// measured program, so check first. Usable in the monitor; one system call.
#pragma once

#include <cstdint>
#include <sys/resource.h>

namespace kymo {

inline bool within_file_limit(std::uint64_t end) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}

}  // namespace kymo
