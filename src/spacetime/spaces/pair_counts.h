// How often each pair of consecutive sampled addresses occurred, with the counters' deltas over it: all sample data
// for the spaces' weights. One pass; the number of distinct pairs is far below that of samples.
//
// Mergeable: counts of parts added are the counts of the whole, bit for bit, in any order.
#pragma once

#include "base/index.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// `function`: numbered by the caller, kNone if none is known. Addresses are offsets in the function's image.
struct SampledAt {
    std::uint32_t function = kNone;
    std::uint64_t address = 0;
    auto operator<=>(const SampledAt&) const = default;
};

struct AddressPairKey {
    SampledAt a;
    SampledAt b;
    auto operator<=>(const AddressPairKey&) const = default;
};

class PairCounts {
  public:
    explicit PairCounts(std::size_t counters) : counters_(counters), slots_(64, kNone) {}

    // One pair; `deltas` of every counter between the two samples. Precondition: deltas.size() == counters().
    void add(const AddressPairKey& key, std::span<const std::int64_t> deltas, std::uint64_t occurrences = 1);
    // Precondition: the same counters.
    void merge(const PairCounts& other);

    std::size_t counters() const { return counters_; }
    std::size_t size() const { return keys_.size(); }
    const AddressPairKey& key(std::size_t row) const { return keys_[row]; }
    std::uint64_t occurrences(std::size_t row) const { return occurrences_[row]; }
    std::span<const std::int64_t> sums(std::size_t row) const {
        return std::span(sums_).subspan(row * counters_, counters_);
    }
    // Rows by key: independent of the order in which they came.
    std::vector<std::size_t> sorted() const;

  private:
    std::size_t slot_of(const AddressPairKey& key) const;
    void grow();

    std::size_t counters_;
    std::vector<std::uint32_t> slots_;  // open addressing, a power of two, at most half full
    std::vector<AddressPairKey> keys_;
    std::vector<std::uint64_t> occurrences_;
    std::vector<std::int64_t> sums_;  // row by row
};

}  // namespace kymo::spacetime
