// The peers of the pair machine: Space-Saving (Metwally, Agrawal and El Abbadi, 2005) with a heap, and exact counts
// in an open-addressing hash table. Written for speed, as one would in a profiler; both count every event.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::bench {

class SpaceSaving {
  public:
    explicit SpaceSaving(std::size_t counters) : most_(counters) { places_.reserve(2 * counters); }

    void add(std::uint64_t key) {
        const auto known = places_.find(key);
        if (known != places_.end()) {
            ++heap_[known->second].count;
            sink(known->second);
        } else if (heap_.size() < most_) {
            heap_.push_back({1, 0, key});
            places_[key] = heap_.size() - 1;
            rise(heap_.size() - 1);
        } else {
            places_.erase(heap_[0].key);
            heap_[0] = {heap_[0].count + 1, heap_[0].count, key};
            places_[key] = 0;
            sink(0);
        }
    }

    // Surely at least `least` events.
    [[nodiscard]] std::vector<std::uint64_t> at_least(std::uint64_t least) const {
        std::vector<std::uint64_t> keys;
        for (const Counter& counter : heap_) {
            if (counter.count - counter.error >= least) {
                keys.push_back(counter.key);
            }
        }
        return keys;
    }
    // A counter, its place in the table of places and that table's load.
    static constexpr std::size_t kBytesACounter = sizeof(std::uint64_t) * 3 + 2 * 16 + 8;

  private:
    struct Counter {
        std::uint64_t count;
        std::uint64_t error;
        std::uint64_t key;
    };
    void swap(std::size_t a, std::size_t b) {
        std::swap(heap_[a], heap_[b]);
        places_[heap_[a].key] = a;
        places_[heap_[b].key] = b;
    }
    void sink(std::size_t at) {
        for (;;) {
            std::size_t least = at;
            for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
                if (child < heap_.size() && heap_[child].count < heap_[least].count) {
                    least = child;
                }
            }
            if (least == at) {
                return;
            }
            swap(at, least);
            at = least;
        }
    }
    void rise(std::size_t at) {
        while (at != 0 && heap_[at].count < heap_[(at - 1) / 2].count) {
            swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }
    std::size_t most_;
    std::vector<Counter> heap_;
    std::unordered_map<std::uint64_t, std::size_t> places_;
};

class ExactCounts {
  public:
    explicit ExactCounts(std::size_t expected) {
        std::size_t size = 16;
        while (size < 2 * expected) {
            size *= 2;
        }
        slots_.resize(size);
    }
    void add(std::uint64_t key) {
        std::size_t at = (key * 0x9E3779B97F4A7C15U) >> 20U & (slots_.size() - 1);
        while (slots_[at].first != key && slots_[at].first != 0) {
            at = (at + 1) & (slots_.size() - 1);
        }
        slots_[at].first = key;
        ++slots_[at].second;
    }
    [[nodiscard]] std::vector<std::uint64_t> at_least(std::uint64_t least) const {
        std::vector<std::uint64_t> keys;
        for (const auto& [key, count] : slots_) {
            if (key != 0 && count >= least) {
                keys.push_back(key);
            }
        }
        return keys;
    }
    [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof slots_[0]; }

  private:
    std::vector<std::pair<std::uint64_t, std::uint64_t>> slots_;
};

// Keys 1 … n with shares as 1/rank^s, drawn beforehand.
class Zipf {
  public:
    Zipf(std::size_t n, double s) : below_(n) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            below_[i] = sum += 1 / std::pow(static_cast<double>(i + 1), s);
        }
        for (double& limit : below_) {
            limit /= sum;
        }
    }
    [[nodiscard]] double share(std::size_t rank) const { return below_[rank] - (rank == 0 ? 0 : below_[rank - 1]); }
    [[nodiscard]] std::uint64_t key(double uniform) const {
        const auto at = std::lower_bound(below_.begin(), below_.end(), uniform);
        return 0x400000 + 16 * static_cast<std::uint64_t>(at - below_.begin());
    }

  private:
    std::vector<double> below_;
};

}  // namespace kymo::bench
