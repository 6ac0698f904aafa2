#include "recording/raw_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::recording {

int open_raw(const char* path, int flags, mode_t mode) {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int close_raw(int descriptor) {
    return static_cast<int>(syscall(SYS_close, descriptor));
}

int lock_raw(int descriptor) {
    return static_cast<int>(syscall(SYS_flock, descriptor, LOCK_EX | LOCK_NB));
}

int move_up(int descriptor, int floor) {
    if (floor <= descriptor) {
        return descriptor;
    }
    const auto moved = static_cast<int>(syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, floor));
    if (moved < 0) {
        return descriptor;  // a low limit on descriptors: keep the number
    }
    close_raw(descriptor);
    return moved;
}

int allocate_by_kernel(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
    // A signal makes some file systems give up half-way; each further try starts from what is allocated already.
    for (int tries = 0; tries < 1000; ++tries) {
        if (syscall(SYS_fallocate, descriptor, 0, offset, bytes) == 0) {
            return 0;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
    return EINTR;
}

int allocate_by_zeros(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
    static constexpr char kZeros[4096] = {};
    while (bytes != 0) {
        const std::uint64_t piece = bytes < sizeof kZeros ? bytes : sizeof kZeros;
        const long written = syscall(SYS_pwrite64, descriptor, kZeros, piece, offset);
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return errno;
        }
        if (written == 0) {
            return ENOSPC;
        }
        offset += static_cast<std::uint64_t>(written);
        bytes -= static_cast<std::uint64_t>(written);
    }
    return 0;
}

}  // namespace kymo::recording
