// Reads memory of our own process that may be unreadable: the kernel copies it, or refuses. A system call; usable
// in the monitor; errno is kept.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace kymo {

// False: not all of it is readable, or process_vm_readv is barred.
inline bool copy_own_memory(std::uint64_t address, void* to, std::size_t bytes) {
    const int saved = errno;
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    const long got = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, &remote, 1UL, 0UL);
    errno = saved;
    return got == static_cast<long>(bytes);
}

}  // namespace kymo
