// Sums of occurrences by node and neighbours (spaces/patterns.h), bounded.
//
// If there are more distinct patterns than `most` (thousands of nodes in random order), neighbours with fewer
// samples than a floor count as their parent's own code, like nodes too small to be kept; the floor doubles until
// the patterns fit. The samples of each node are known before the first occurrence. So the floor is the least power
// of two with which all fit: the same in whatever order, and by however many tables they were counted; and counts
// are exact.
#pragma once

#include "base/hash.h"
#include "spacetime/evidence/occurrences/running_sums.h"
#include "spacetime/spaces/patterns.h"
#include "team/members.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct PatternRecord {
    DurationSums durations;
    SumRow sums;

    PatternRecord& operator+=(const PatternRecord& more) {
        durations.merge(more.durations);
        sums.resize(sums.size() < more.sums.size() ? more.sums.size() : sums.size());
        for (std::size_t i = 0; i < more.sums.size(); ++i) {
            sums[i] += more.sums[i];
        }
        return *this;
    }
};
KYMO_MEMBERS(PatternRecord, durations, sums)

class PatternTable {
  public:
    using NodeSamples = std::shared_ptr<const std::vector<std::uint64_t>>;  // by kept node

    PatternTable() = default;
    PatternTable(NodeSamples samples, std::size_t most) : samples_(std::move(samples)), most_(most) {}

    // Without the nodes' samples: of one from another process the floor does not rise.
    template <typename Visit>
    void members(const Visit& visit) {
        visit(most_, floor_, records_);
    }

    // Made if new. Valid until generation() changes.
    PatternRecord& at(const PatternKey& key) {
        PatternKey known = floored(key);
        while (!records_.contains(known) && records_.size() >= most_ && raise_floor(2 * floor_)) {
            known = floored(key);
        }
        return records_[known];
    }
    std::uint64_t generation() const { return floor_; }
    // Neighbours with fewer samples count as their parent's own code; 1: none do.
    std::uint64_t floor() const { return floor_; }

    void merge(const PatternTable& other) {
        raise_floor(other.floor_);
        for (const auto& [key, record] : other.records_) {
            at(key) += record;
        }
    }

    std::size_t size() const { return records_.size(); }
    auto begin() const { return records_.begin(); }
    auto end() const { return records_.end(); }

  private:
    struct Hash {
        std::size_t operator()(const PatternKey& key) const {
            return hash_of(std::uint64_t{key.before} << 32U | key.after, key.node);
        }
    };

    std::uint32_t floored(std::uint32_t neighbour) const {
        const bool is_few = samples_ != nullptr && neighbour < samples_->size() && (*samples_)[neighbour] < floor_;
        return is_few && floor_ > 1 ? kParentItself : neighbour;
    }
    PatternKey floored(const PatternKey& key) const { return {floored(key.before), key.node, floored(key.after)}; }
    // False: nothing is left to combine.
    bool raise_floor(std::uint64_t floor) {
        if (floor <= floor_ || floor > std::uint64_t{1} << 62U) {
            return false;
        }
        floor_ = floor;
        auto finer = std::exchange(records_, {});
        for (const auto& [key, record] : finer) {
            records_[floored(key)] += record;
        }
        return true;
    }

    NodeSamples samples_;
    std::size_t most_ = ~std::size_t{0};
    std::uint64_t floor_ = 1;
    std::unordered_map<PatternKey, PatternRecord, Hash> records_;
};

}  // namespace kymo::spacetime
