// Address → (image slot, rule): recent look-ups, shared by all threads without any synchronisation.
//
// Direct-mapped by the address's low bits (return addresses are spread evenly there). An entry is two words: the
// rule, and (slot, address) combined by exclusive or with a hash of the rule. A reader takes both words and undoes
// the hash; if they are not of one writing, the address does not match (except 1 in 2^48 times, and then a wrong
// rule of the right program is used, which the walk's bounds withstand). So entries need no lock and cannot tear
// (Hyatt and Mann, "A lock-less transposition table implementation", 2002). They need no invalidation either: the
// caller checks that the slot is alive, and slots are never reused.
#pragma once

#include "image/arena.h"
#include "unwind/rule_kind.h"

#include <atomic>
#include <cstdint>

namespace kymo::unwind {

class RuleCache {
  public:
    static constexpr std::size_t kEntries = 4096;  // 64 KiB

    bool create() {
        entries_ = static_cast<Entry*>(image::map_pages(kEntries * sizeof(Entry)));
        return entries_ != nullptr;
    }

    // No find() is under way, and none follows.
    void release() {
        if (entries_ != nullptr) {
            image::unmap_pages(entries_, kEntries * sizeof(Entry));
            entries_ = nullptr;
        }
    }

    // Slot 0: not here. *rule is loaded first and does not wait for the check, so the walk's next load can start.
    std::uint32_t find(std::uint64_t address, RuleWord* rule) const {
        const Entry& entry = entries_[address % kEntries];
        *rule = entry.rule.load(std::memory_order_relaxed);
        const std::uint64_t owner = entry.owner.load(std::memory_order_relaxed) ^ hash(*rule);
        return (owner & kAddressMask) == address ? static_cast<std::uint32_t>(owner >> kAddressBits) : 0;
    }

    void insert(std::uint64_t address, std::uint32_t slot, RuleWord rule) {
        if (address > kAddressMask || slot > UINT16_MAX) {
            return;
        }
        Entry& entry = entries_[address % kEntries];
        entry.rule.store(rule, std::memory_order_relaxed);
        entry.owner.store((static_cast<std::uint64_t>(slot) << kAddressBits | address) ^ hash(rule),
                          std::memory_order_relaxed);
    }

  private:
    static constexpr unsigned kAddressBits = 48;
    static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kAddressBits) - 1;
    struct Entry {
        std::atomic<std::uint64_t> owner;
        std::atomic<RuleWord> rule;
    };
    static_assert(sizeof(Entry) == 16);

    static std::uint64_t hash(RuleWord rule) { return __builtin_bswap64(rule * 0x9E3779B97F4A7C15U); }

    Entry* entries_ = nullptr;
};

}  // namespace kymo::unwind
