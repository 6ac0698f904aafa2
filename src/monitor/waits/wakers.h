// The last waker of an object: a table of fixed size, without a lock.
//
// An object has two possible places, and takes the first if both belong to others: with a few dozen objects about
// one answer in ten thousand is missing. An answer is never of another object (up to a tag of 32 bits).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

class Wakers {
  public:
    void note(std::uint64_t object, int tid) {
        const std::uint64_t mixed = mix(object);
        const std::uint64_t entry = (mixed & kTagMask) | static_cast<std::uint32_t>(tid);
        std::atomic<std::uint64_t>& first = entries_[first_place(mixed)];
        if (const std::uint64_t there = first.load(std::memory_order_relaxed); there == 0 || is_of(there, mixed)) {
            first.store(entry, std::memory_order_relaxed);
            return;
        }
        std::atomic<std::uint64_t>& second = entries_[second_place(mixed)];
        const std::uint64_t there = second.load(std::memory_order_relaxed);
        (there == 0 || is_of(there, mixed) ? second : first).store(entry, std::memory_order_relaxed);
    }
    // The last thread to do so, 0: not known.
    std::uint64_t last(std::uint64_t object) const {
        const std::uint64_t mixed = mix(object);
        for (const std::size_t place : {first_place(mixed), second_place(mixed)}) {
            const std::uint64_t entry = entries_[place].load(std::memory_order_relaxed);
            if (entry != 0 && is_of(entry, mixed)) {
                return entry & ~kTagMask;
            }
        }
        return 0;
    }

  private:
    // One word an entry, so that it is read whole: the object's tag above, the thread id below.
    static constexpr std::size_t kEntries = 4096;
    static constexpr std::uint64_t kTagMask = 0xFFFF'FFFF'0000'0000U;
    static bool is_of(std::uint64_t entry, std::uint64_t mixed) { return ((entry ^ mixed) & kTagMask) == 0; }
    static std::size_t first_place(std::uint64_t mixed) { return mixed % kEntries; }
    static std::size_t second_place(std::uint64_t mixed) { return (mixed >> 12U) % kEntries; }
    static std::uint64_t mix(std::uint64_t object) {
        // High bits must influence the places as well, which the low ones choose.
        object *= 0x9E3779B97F4A7C15U;
        object ^= object >> 32U;
        object *= 0xBF58476D1CE4E5B9U;
        return object ^ (object >> 29U);
    }
    std::atomic<std::uint64_t> entries_[kEntries]{};
};

}  // namespace kymo::monitor
