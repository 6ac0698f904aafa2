// Counts of pairs of consecutive sampled addresses, as PairCounts (pair_counts.h) but keyed by numbers of sampled
// addresses: one 64-bit key, so that counting a sample is one look-up. Rows are in the order of first appearance.
//
// Bounded: if there are more distinct pairs than `most` (a random walk over thousands of addresses makes a new one
// with every sample), addresses with fewer samples than a floor are combined into one, kFewSamples; the floor
// doubles until the pairs fit. The samples of each address are known before the first pair is counted. So the
// floor is the least power of two with which all pairs fit: the same in whatever order, and by however many tables
// they were counted. Counts are exact: sums of pairs become sums of combined pairs.
#pragma once

#include "base/index.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kymo::spacetime {

class PairTable {
  public:
    static constexpr std::uint32_t kFewSamples = 0xfffffffeU;  // in place of an address

    // `samples`: by number of an address; must outlive this. Addresses beyond it have none.
    explicit PairTable(std::size_t counters = 0, std::span<const std::uint64_t> samples = {},
                       std::size_t most = ~std::size_t{0})
        : counters_(counters), samples_(samples), most_(most), slots_(1024, kNone) {}

    // After it came from another process: `samples` as the constructor's.
    void use_samples(std::span<const std::uint64_t> samples) { samples_ = samples; }
    template <typename Visit>
    void members(const Visit& visit) {
        visit(counters_, most_, floor_, slots_, keys_, occurrences_, sums_);
    }

    std::uint64_t key_of(std::uint32_t a, std::uint32_t b) const {
        return std::uint64_t{floored(a)} << 32U | floored(b);
    }
    // Addresses with fewer samples are combined; 1: none are.
    std::uint64_t floor() const { return floor_; }

    std::uint32_t find(std::uint32_t a, std::uint32_t b) const { return slots_[slot_of(key_of(a, b))]; }
    // The pair's row, made if new. Rows have other numbers after the floor has risen.
    std::uint32_t row(std::uint32_t a, std::uint32_t b) {
        std::uint64_t key = key_of(a, b);
        while (slots_[slot_of(key)] == kNone && keys_.size() >= most_ && raise_floor(2 * floor_)) {
            key = key_of(a, b);
        }
        return row_of(key);
    }
    void add(std::uint32_t row, std::uint64_t occurrences, std::span<const std::int64_t> deltas) {
        occurrences_[row] += occurrences;
        std::int64_t* const sums = sums_.data() + row * counters_;
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            sums[i] += deltas[i];
        }
    }
    void merge(const PairTable& other) {
        raise_floor(other.floor_);
        for (std::uint32_t i = 0; i < other.size(); ++i) {
            const std::uint64_t key = other.keys_[i];
            add(row(static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)), other.occurrences_[i],
                other.sums(i));
        }
    }

    std::size_t size() const { return keys_.size(); }
    std::uint64_t key(std::size_t row) const { return keys_[row]; }
    std::uint64_t occurrences(std::size_t row) const { return occurrences_[row]; }
    std::span<const std::int64_t> sums(std::size_t row) const {
        return std::span(sums_).subspan(row * counters_, counters_);
    }

  private:
    std::uint32_t floored(std::uint32_t address) const {
        const bool is_few = floor_ > 1 && (address >= samples_.size() || samples_[address] < floor_);
        return is_few ? kFewSamples : address;
    }
    // False: nothing is left to combine.
    bool raise_floor(std::uint64_t floor) {
        if (floor <= floor_ || floor > std::uint64_t{1} << 62U) {
            return false;
        }
        PairTable coarser(counters_, samples_);
        coarser.floor_ = floor;
        for (std::uint32_t i = 0; i < size(); ++i) {
            const std::uint64_t key = keys_[i];
            coarser.add(coarser.row(static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)),
                        occurrences_[i], sums(i));
        }
        coarser.most_ = most_;
        *this = std::move(coarser);
        return true;
    }
    std::uint32_t row_of(std::uint64_t key) {
        std::size_t slot = slot_of(key);
        if (slots_[slot] == kNone) {
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
    std::size_t slot_of(std::uint64_t key) const {
        std::size_t slot = (key ^ key >> 29U) * 0x9E3779B97F4A7C15ULL >> 20U & (slots_.size() - 1);
        while (slots_[slot] != kNone && keys_[slots_[slot]] != key) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }
    void grow() {
        slots_.assign(slots_.size() * 2, kNone);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            slots_[slot_of(keys_[i])] = static_cast<std::uint32_t>(i);
        }
    }

    std::size_t counters_;
    std::span<const std::uint64_t> samples_;
    std::size_t most_;
    std::uint64_t floor_ = 1;
    std::vector<std::uint32_t> slots_;  // open addressing, a power of two, at most half full
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> occurrences_;
    std::vector<std::int64_t> sums_;  // row by row
};

}  // namespace kymo::spacetime
