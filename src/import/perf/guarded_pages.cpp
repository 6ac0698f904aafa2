#include "import/perf/guarded_pages.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace kymo::import::perf {
namespace {

// What the handler reads: `begin` is written last, and set back to 0 first.
struct Range {
    std::atomic<std::uintptr_t> begin = 0;  // 0: free
    std::atomic<std::uintptr_t> end = 0;
    std::atomic<std::atomic<bool>*> missing = nullptr;
};

std::array<Range, GuardedPages::kMost> ranges;
std::mutex changing;
std::size_t used = 0;
struct sigaction before;

bool make_zeros(std::uintptr_t from, std::uintptr_t end) {
    return ::mmap(reinterpret_cast<void*>(from), end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                  0) != MAP_FAILED;
}

void on_bus_error(int signal, siginfo_t* info, void*) {
    const int saved = errno;
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (Range& range : ranges) {
        const std::uintptr_t begin = range.begin.load(std::memory_order_acquire);
        const std::uintptr_t end = range.end.load(std::memory_order_relaxed);
        if (begin == 0 || at < begin || at >= end) {
            continue;
        }
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        if (make_zeros(at / page * page, end)) {
            range.missing.load(std::memory_order_relaxed)->store(true, std::memory_order_relaxed);
            errno = saved;
            return;
        }
    }
    ::sigaction(signal, &before, nullptr);  // the read is tried again
    errno = saved;
}

}  // namespace

std::unique_ptr<GuardedPages> GuardedPages::make(std::size_t bytes) {
    const std::scoped_lock lock(changing);
    std::size_t slot = 0;
    while (slot < kMost && ranges[slot].begin != 0) {
        ++slot;
    }
    if (slot == kMost) {
        return nullptr;
    }
    void* const pages = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        return nullptr;
    }
    std::unique_ptr<GuardedPages> made(new GuardedPages);
    made->pages_ = static_cast<std::uint8_t*>(pages);
    made->bytes_ = bytes;
    made->slot_ = slot;
    Range& range = ranges[slot];
    range.end = reinterpret_cast<std::uintptr_t>(pages) + bytes;
    range.missing = &made->missing_;
    range.begin.store(reinterpret_cast<std::uintptr_t>(pages), std::memory_order_release);
    if (used++ == 0) {
        struct sigaction ours{};
        ours.sa_sigaction = on_bus_error;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigaction(SIGBUS, &ours, &before);
    }
    return made;
}

GuardedPages::~GuardedPages() {
    const std::scoped_lock lock(changing);
    if (--used == 0) {
        ::sigaction(SIGBUS, &before, nullptr);
    }
    ranges[slot_].begin.store(0, std::memory_order_release);
    ::munmap(pages_, bytes_);
}

bool GuardedPages::map(std::size_t at, std::size_t bytes, int file, std::uint64_t offset) {
    if (::mmap(pages_ + at, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, static_cast<off_t>(offset)) !=
        MAP_FAILED) {
        return true;
    }
    missing_ = missing_ || !make_zeros(reinterpret_cast<std::uintptr_t>(pages_) + at,
                                       reinterpret_cast<std::uintptr_t>(pages_) + at + bytes);
    return false;
}

}  // namespace kymo::import::perf
