// Places where an image could not be described or compiled: tried again at growing intervals only, because opening
// files and reading headers for each word of each sample would cost more than the program (node, 2026: 150 MB/s).
//
// Contract: refuses() from any thread or handler, without locks; note() and forget() under the set's registration
// lock. If there are more places than room, some are tried more often than necessary; nothing else depends on it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kymo::unwind {

class RefusedPlaces {
  public:
    static constexpr std::uint32_t kFirstWait = 64;
    static constexpr std::uint32_t kLongestWait = 1U << 30U;

    // Whether to skip the place that begins there this time.
    bool refuses(std::uint64_t begin) {
        for (Entry& entry : set_of(begin)) {
            if (begin != 0 && entry.begin.load(std::memory_order_relaxed) == begin) {
                const std::uint32_t left = entry.left.load(std::memory_order_relaxed);
                entry.left.store(left == 0 ? 0 : left - 1, std::memory_order_relaxed);
                return left != 0;
            }
        }
        return false;
    }

    // It has failed (again): twice as many look-ups as before are refused.
    void note(std::uint64_t begin) {
        Set& set = set_of(begin);
        Entry* found = nullptr;
        Entry* least = set.data();
        for (Entry& entry : set) {
            found = entry.begin.load(std::memory_order_relaxed) == begin ? &entry : found;
            least = entry.wait < least->wait ? &entry : least;
        }
        Entry& entry = found != nullptr ? *found : *least;
        entry.wait = found == nullptr ? kFirstWait : entry.wait < kLongestWait ? entry.wait * 2 : kLongestWait;
        entry.left.store(entry.wait, std::memory_order_relaxed);
        entry.begin.store(begin, std::memory_order_relaxed);
    }

    // Something has been unloaded: another image may take its place.
    void forget() {
        for (auto& set : sets_) {
            for (Entry& entry : set) {
                entry.begin.store(0, std::memory_order_relaxed);
                entry.wait = 0;
            }
        }
    }

  private:
    static constexpr unsigned kSetBits = 6;
    static constexpr std::size_t kWays = 4;
    struct Entry {
        std::atomic<std::uint64_t> begin{0};  // 0: free
        std::atomic<std::uint32_t> left{0};   // look-ups still to be refused
        std::uint32_t wait = 0;               // of how many, the last time
    };
    static_assert(sizeof(Entry) == 16);
    using Set = std::array<Entry, kWays>;
    Set& set_of(std::uint64_t begin) { return sets_[(begin >> 12U) * 0x9E3779B97F4A7C15U >> (64 - kSetBits)]; }

    std::array<Set, 1U << kSetBits> sets_{};  // 4 KiB
};

}  // namespace kymo::unwind
