// Counts of pairs of consecutive sampled addresses, as PairCounts (pair_counts.h) but keyed by numbers of sampled
// addresses: one 64-bit key, so that counting a sample is one look-up. Rows are in the order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

class PairTable {
  public:
    static constexpr std::uint32_t kNoRow = 0xffffffffU;

    explicit PairTable(std::size_t counters = 0) : counters_(counters), slots_(1024, kNoRow) {}

    static std::uint64_t key_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32U | b; }

    std::uint32_t find(std::uint64_t key) const { return slots_[slot_of(key)]; }
    // The pair's row, made where it is new.
    std::uint32_t row(std::uint64_t key) {
        std::size_t slot = slot_of(key);
        if (slots_[slot] == kNoRow) {
            if (2 * (keys_.size() + 1) > slots_.size()) {
                grow();
                slot = slot_of(key);
            }
            slots_[slot] = static_cast<std::uint32_t>(keys_.size());
            keys_.push_back(key);
            occurrences_.push_back(0);
            sums_.resize(sums_.size() + counters_);
        }
        return slots_[slot];
    }
    void add(std::uint32_t row, std::uint64_t occurrences, std::span<const std::int64_t> deltas) {
        occurrences_[row] += occurrences;
        std::int64_t* const sums = sums_.data() + row * counters_;
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            sums[i] += deltas[i];
        }
    }
    void merge(const PairTable& other) {
        for (std::uint32_t i = 0; i < other.size(); ++i) {
            add(row(other.keys_[i]), other.occurrences_[i], other.sums(i));
        }
    }

    std::size_t size() const { return keys_.size(); }
    std::uint64_t key(std::size_t row) const { return keys_[row]; }
    std::uint64_t occurrences(std::size_t row) const { return occurrences_[row]; }
    std::span<const std::int64_t> sums(std::size_t row) const {
        return std::span(sums_).subspan(row * counters_, counters_);
    }

  private:
    std::size_t slot_of(std::uint64_t key) const {
        std::size_t slot = (key ^ key >> 29U) * 0x9E3779B97F4A7C15ULL >> 20U & (slots_.size() - 1);
        while (slots_[slot] != kNoRow && keys_[slots_[slot]] != key) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }
    void grow() {
        slots_.assign(slots_.size() * 2, kNoRow);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            slots_[slot_of(keys_[i])] = static_cast<std::uint32_t>(i);
        }
    }

    std::size_t counters_;
    std::vector<std::uint32_t> slots_;  // open addressing, a power of two, at most half full
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> occurrences_;
    std::vector<std::int64_t> sums_;  // row by row
};

}  // namespace kymo::spacetime
