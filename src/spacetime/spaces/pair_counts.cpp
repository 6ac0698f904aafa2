#include "spacetime/spaces/pair_counts.h"

#include "base/hash.h"

#include <algorithm>
#include <numeric>

namespace kymo::spacetime {

std::size_t PairCounts::slot_of(const AddressPairKey& key) const {
    const std::uint64_t first = key.a.address ^ std::uint64_t{key.a.function} << 40U;
    const std::uint64_t second = key.b.address ^ std::uint64_t{key.b.function} << 40U;
    std::size_t slot = mix(first * 0x9e3779b97f4a7c15ULL + second) & (slots_.size() - 1);
    while (slots_[slot] != kNone && keys_[slots_[slot]] != key) {
        slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
}

void PairCounts::grow() {
    slots_.assign(slots_.size() * 2, kNone);
    for (std::size_t row = 0; row < keys_.size(); ++row) {
        slots_[slot_of(keys_[row])] = static_cast<std::uint32_t>(row);
    }
}

void PairCounts::add(const AddressPairKey& key, std::span<const std::int64_t> deltas, std::uint64_t occurrences) {
    std::size_t slot = slot_of(key);
    if (slots_[slot] == kNone) {
        if (2 * (keys_.size() + 1) > slots_.size()) {
            grow();
            slot = slot_of(key);
        }
        slots_[slot] = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(key);
        occurrences_.push_back(0);
        sums_.resize(sums_.size() + counters_, 0);
    }
    const std::size_t row = slots_[slot];
    occurrences_[row] += occurrences;
    for (std::size_t i = 0; i < counters_; ++i) {
        sums_[row * counters_ + i] += deltas[i];
    }
}

void PairCounts::merge(const PairCounts& other) {
    for (std::size_t row = 0; row < other.size(); ++row) {
        add(other.key(row), other.sums(row), other.occurrences(row));
    }
}

std::vector<std::size_t> PairCounts::sorted() const {
    std::vector<std::size_t> rows(size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
    return rows;
}

}  // namespace kymo::spacetime
