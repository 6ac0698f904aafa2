// A hash table from keys to numbers that are never taken out again, for millions of keys: two arrays, no memory
// of its own for each key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo {

template <typename Key, typename Hash>
class NumberTable {
  public:
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

    // The key's number, and whether it is this one, new. At most 2^31 keys.
    std::pair<std::uint32_t, bool> try_emplace(const Key& key, std::size_t number) {
        if (2 * (entries_.size() + 1) > slots_.size()) {
            grow();
        }
        std::size_t at = place_of(key);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
            const Entry& known = entries_[slots_[at] - 1];
            if (known.key == key) {
                return {known.number, false};
            }
        }
        entries_.push_back({key, static_cast<std::uint32_t>(number)});
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
        return {entries_.back().number, true};
    }

  private:
    static constexpr std::size_t kFirstSlots = 64;

    struct Entry {
        Key key;
        std::uint32_t number = 0;
    };

    // By the hash's upper bits, after a multiplication that moves the lower ones there (Knuth's multiplicative hash).
    [[nodiscard]] std::size_t place_of(const Key& key) const {
        const std::uint64_t mixed = static_cast<std::uint64_t>(Hash()(key)) * 0x9e3779b97f4a7c15ULL;
        return static_cast<std::size_t>(mixed >> (64 - std::countr_zero(slots_.size())));
    }

    void grow() {
        slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), 0);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            std::size_t at = place_of(entries_[i].key);
            while (slots_[at] != 0) {
                at = (at + 1) & (slots_.size() - 1);
            }
            slots_[at] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;  // 1 + index of entries_; 0: free. A power of two of them
};

}  // namespace kymo
