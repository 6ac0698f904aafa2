// System calls by the C library's names, for the monitor alone (hidden): a program may have functions of those names
// of its own, which count, take a lock or allocate (allocation tracers wrap mmap and munmap), and are not to be
// entered from a signal handler, nor to see what is not the program's doing. errno is set as by the C library's.
// Numbers are those that filters of the program's are asked about (interpose/seccomp.cpp).

#include <cstdarg>
#include <cstddef>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KYMO_OWN extern "C" __attribute__((visibility("hidden")))

namespace {

template <typename... Arguments>
int call(long number, Arguments... arguments) {
    return static_cast<int>(syscall(number, arguments...));
}

}  // namespace

KYMO_OWN void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}

KYMO_OWN int munmap(void* at, std::size_t bytes) noexcept {
    return call(SYS_munmap, at, bytes);
}

KYMO_OWN void* mremap(void* at, std::size_t had, std::size_t bytes, int flags, ...) noexcept {
    return reinterpret_cast<void*>(syscall(SYS_mremap, at, had, bytes, flags, 0L));  // nobody here names a new place
}

KYMO_OWN int madvise(void* at, std::size_t bytes, int advice) noexcept {
    return call(SYS_madvise, at, bytes, advice);
}

KYMO_OWN int ioctl(int file, unsigned long request, ...) noexcept {
    va_list list;
    va_start(list, request);
    const long argument = va_arg(list, long);
    va_end(list);
    return call(SYS_ioctl, file, request, argument);
}

KYMO_OWN int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    const long argument = va_arg(list, long);
    va_end(list);
    return call(SYS_fcntl, file, command, argument);
}

KYMO_OWN int open(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const long mode = va_arg(list, long);
    va_end(list);
    return call(SYS_openat, AT_FDCWD, path, flags, mode);
}

KYMO_OWN int fstat(int file, struct stat* status) noexcept {
    return call(SYS_newfstatat, file, "", status, AT_EMPTY_PATH);
}

KYMO_OWN int ftruncate(int file, off_t bytes) noexcept {
    return call(SYS_ftruncate, file, bytes);
}

KYMO_OWN ssize_t readlink(const char* path, char* to, std::size_t bytes) noexcept {
#ifdef SYS_readlink
    return syscall(SYS_readlink, path, to, bytes);
#else
    return syscall(SYS_readlinkat, AT_FDCWD, path, to, bytes);
#endif
}

KYMO_OWN int getrusage(__rusage_who_t who, struct rusage* usage) noexcept {
    return call(SYS_getrusage, who, usage);
}
