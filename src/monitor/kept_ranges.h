// Ranges of memory that the monitor no longer needs and keeps mapped, empty, for reuse.
//
// Reason: a program may read everything listed in /proc/self/maps (conservative collectors, checkpointers), and a
// sample may be taken between reading the list and reading the memory. Memory that the monitor has once mapped
// must therefore stay readable.
//
// Contract: usable in signal handlers and by several threads at once: no lock, no allocation, no system call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

class KeptRanges {
  public:
    static constexpr std::size_t kPageBytes = 4096;
    static constexpr std::size_t kPlaces = 256;
    static constexpr std::size_t kMostPages = 4096;  // 16 MiB of address space, for programs that may have a limit

    static constexpr std::size_t pages_of(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

    // Keeps the whole pages of `bytes` bytes at `at`, which is the start of a page; false: no room left.
    bool put(void* at, std::size_t bytes) {
        const std::size_t pages = pages_of(bytes);
        if (pages == 0 || !has_room_for(pages)) {
            return false;
        }
        const std::uint64_t range = reinterpret_cast<std::uintptr_t>(at) / kPageBytes << kSizeBits | pages;
        for (auto& place : places_) {
            std::uint64_t free = 0;
            if (place.load(std::memory_order_relaxed) == 0 &&
                place.compare_exchange_strong(free, range, std::memory_order_acq_rel)) {
                return true;
            }
        }
        pages_.fetch_sub(pages, std::memory_order_relaxed);
        return false;
    }

    // A kept range of exactly as many pages, owned by the caller from then on; nullptr: none.
    void* take(std::size_t bytes) {
        const std::size_t pages = pages_of(bytes);
        if (pages == 0 || pages_.load(std::memory_order_relaxed) < pages) {
            return nullptr;
        }
        for (auto& place : places_) {
            std::uint64_t range = place.load(std::memory_order_relaxed);
            if ((range & kSizeMask) == pages && place.compare_exchange_strong(range, 0, std::memory_order_acq_rel)) {
                pages_.fetch_sub(pages, std::memory_order_relaxed);
                return reinterpret_cast<void*>((range >> kSizeBits) * kPageBytes);
            }
        }
        return nullptr;
    }

  private:
    // A place: the number of the range's first page, then how many they are. 0: free.
    static constexpr unsigned kSizeBits = 13;
    static constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << kSizeBits) - 1;
    static_assert(kMostPages <= kSizeMask);

    bool has_room_for(std::size_t pages) {
        if (pages > kMostPages || pages_.fetch_add(pages, std::memory_order_relaxed) + pages > kMostPages) {
            if (pages <= kMostPages) {
                pages_.fetch_sub(pages, std::memory_order_relaxed);
            }
            return false;
        }
        return true;
    }

    std::atomic<std::uint64_t> places_[kPlaces]{};
    std::atomic<std::size_t> pages_{0};
};

}  // namespace kymo::monitor
