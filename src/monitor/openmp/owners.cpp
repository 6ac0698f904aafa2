// Which thread took a lock last: while another thread waits for it, that is its holder. One word an entry, so that
// it is read whole; another lock in the same place replaces it, and then no holder is known.

#include "monitor/openmp/team.h"
#include "monitor/waits/waits.h"

namespace kymo::monitor {

namespace {

constexpr std::size_t kEntries = 4096;
constexpr std::uint64_t kTag = 0xFFFF'FFFF'0000'0000U;
constinit std::atomic<std::uint64_t> entries[kEntries]{};

std::uint64_t mix(const void* lock) {
    const std::uint64_t mixed = address_of(lock) * 0x9E3779B97F4A7C15U;
    return mixed ^ (mixed >> 29U);
}

}  // namespace

void note_owner(const ThreadState& thread, const void* lock) {
    const std::uint64_t mixed = mix(lock);
    entries[mixed % kEntries].store((mixed & kTag) | static_cast<std::uint32_t>(thread.tid),
                                    std::memory_order_relaxed);
}

std::uint64_t owner_of(const void* lock) {
    const std::uint64_t mixed = mix(lock);
    const std::uint64_t entry = entries[mixed % kEntries].load(std::memory_order_relaxed);
    return ((entry ^ mixed) & kTag) == 0 ? entry & ~kTag : 0;
}

}  // namespace kymo::monitor
