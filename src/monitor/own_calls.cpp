// System calls by the C library's names, for the monitor alone (hidden): a program may have functions of those
// names of its own, which count, take a lock or allocate (allocation tracers wrap mmap and munmap). They must not
// be called from a signal handler, and must not see the monitor's calls. errno is set as by the C library's. The
// numbers are those for which the program's filters are evaluated (interpose/seccomp.cpp).
//
// Memory that is unmapped here stays readable, as empty pages (kept_ranges.h gives the reason), up to a limit.
// Mappings are in an area of the monitor's own, so that the holes that a program leaves between its mappings stay
// free: a stack that grows downwards by itself (MAP_GROWSDOWN) needs the hole below it.

#include "monitor/kept_ranges.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

constexpr int kEmptyProtection = PROT_READ | PROT_WRITE;
constexpr int kEmptyFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

constinit kymo::monitor::KeptRanges kept;

// The area begins this far below this library, which is where the kernel puts mappings without a requested
// address; those reach the area only in a program that maps as much. It is near enough for the sanitizers, whose
// programs may map only in parts of the address space.
constexpr std::size_t kBelowLibrary = std::size_t{64} << 30U;
constexpr std::size_t kAreaBytes = std::size_t{32} << 30U;
constinit std::atomic<std::size_t> area_used{0};

std::uintptr_t own_area() {
    static const char library = 0;
    const auto here = reinterpret_cast<std::uintptr_t>(&library) & ~(kymo::monitor::KeptRanges::kPageBytes - 1);
    return here > kBelowLibrary ? here - kBelowLibrary : 0;
}

std::size_t whole_pages(std::size_t bytes) {
    return kymo::monitor::KeptRanges::pages_of(bytes) * kymo::monitor::KeptRanges::kPageBytes;
}

// An address to request from the kernel. If it is taken, the kernel chooses another one, as it would without.
void* place_in_own_area(std::size_t bytes) {
    const std::size_t room = whole_pages(bytes);
    const std::size_t used = area_used.fetch_add(room, std::memory_order_relaxed);
    return own_area() == 0 || room > kAreaBytes || used > kAreaBytes - room
               ? nullptr
               : reinterpret_cast<void*>(own_area() + used);
}

// A mapping that has grown in place has taken memory that may have been free behind it.
void leave_out_of_own_area(const void* at, std::size_t bytes) {
    const std::size_t end = reinterpret_cast<std::uintptr_t>(at) + whole_pages(bytes) - own_area();
    std::size_t used = area_used.load(std::memory_order_relaxed);
    while (end <= kAreaBytes && used < end &&
           !area_used.compare_exchange_weak(used, end, std::memory_order_relaxed)) {
    }
}

void* map(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}

}  // namespace

KYMO_OWN void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
    void* const again = at == nullptr ? kept.take(bytes) : nullptr;
    if (again == nullptr) {
        return map(at == nullptr ? place_in_own_area(bytes) : at, bytes, protection, flags, file, offset);
    }
    if (protection == kEmptyProtection && flags == kEmptyFlags) {
        return again;
    }
    void* const mapped = map(again, bytes, protection, flags | MAP_FIXED, file, offset);
    if (mapped == MAP_FAILED) {
        const int error = errno;
        munmap(again, bytes);  // the kernel may have merged the empty pages
        errno = error;
    }
    return mapped;
}

KYMO_OWN int munmap(void* at, std::size_t bytes) noexcept {
    const int saved = errno;
    // In one call: another thread may be reading.
    const bool is_empty = bytes <= kymo::monitor::KeptRanges::kMostPages * kymo::monitor::KeptRanges::kPageBytes &&
                          map(at, bytes, kEmptyProtection, kEmptyFlags | MAP_FIXED, -1, 0) == at;
    errno = saved;
    return is_empty && kept.put(at, bytes) ? 0 : call(SYS_munmap, at, bytes);
}

KYMO_OWN void* mremap(void* at, std::size_t had, std::size_t bytes, int flags, ...) noexcept {
    constexpr std::size_t kPage = kymo::monitor::KeptRanges::kPageBytes;
    const std::size_t had_pages = kymo::monitor::KeptRanges::pages_of(had);
    const std::size_t pages = kymo::monitor::KeptRanges::pages_of(bytes);
    if (pages <= had_pages) {
        if (pages < had_pages) {
            munmap(static_cast<std::byte*>(at) + pages * kPage, (had_pages - pages) * kPage);
        }
        return at;
    }
    // no new address is given here
    void* const stays = reinterpret_cast<void*>(syscall(SYS_mremap, at, had, bytes, flags & ~MREMAP_MAYMOVE, 0L));
    if (stays != MAP_FAILED) {
        leave_out_of_own_area(at, bytes);
        return stays;
    }
    if ((flags & MREMAP_MAYMOVE) == 0) {
        return stays;
    }
    void* const to = mmap(nullptr, bytes, kEmptyProtection, kEmptyFlags, -1, 0);
    if (to == MAP_FAILED) {
        return MAP_FAILED;
    }
    // Not mremap: kernels before 6.17 move no more than one mapping at a time, and these may have become several.
    std::memcpy(to, at, had);
    munmap(at, had);
    return to;
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
    return syscall(SYS_readlinkat, AT_FDCWD, path, to, bytes);
}

KYMO_OWN int getrusage(__rusage_who_t who, struct rusage* usage) noexcept {
    return call(SYS_getrusage, who, usage);
}
