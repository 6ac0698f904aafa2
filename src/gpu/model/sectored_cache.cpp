#include "gpu/model/sectored_cache.h"

#include "gpu/model/coalesce.h"

#include <algorithm>
#include <cmath>

namespace kymo::gpu {
namespace {

// Times lie at most so far behind the base, 134 million cycles, before it moves on by half of that.
constexpr double kFarthest = 1U << 31U;
constexpr std::uint32_t kMove = 1U << 30U;

}  // namespace

SectoredCache::SectoredCache(std::uint64_t bytes, unsigned ways, std::pmr::memory_resource* memory)
    : ways_(std::min(ways, kMostWays)),
      sets_(bytes / (static_cast<std::uint64_t>(kLineBytes) * ways_)),
      groups_(memory),
      index_(memory) {
    if (sets_ == 0 && bytes >= kLineBytes) {  // smaller than one full set
        ways_ = static_cast<unsigned>(bytes / kLineBytes);
        sets_ = 1;
    }
    groups_of_set_ = sets_ != 0 ? (ways_ + kWaysOfGroup - 1) / kWaysOfGroup : 0;
    groups_.resize(sets_ * groups_of_set_);
    const auto first_age = [&](std::size_t way) { return way < ways_ ? static_cast<std::uint8_t>(way) : kNoWay; };
    for (Group& group : groups_) {
        group.low.fill(kNoLine);
        group.high.fill(kNoLine);
        for (unsigned way = 0; way < kWaysOfGroup; ++way) {
            group.age[way] = first_age(way);
        }
    }
    if (groups_of_set_ > 1) {
        indices_ = (ways_ + kWaysOfIndex - 1) / kWaysOfIndex;
        index_.resize(sets_ * indices_);
        for (std::size_t i = 0; i < index_.size(); ++i) {
            for (unsigned k = 0; k < kWaysOfIndex; ++k) {
                index_[i].age[k] = first_age(i % indices_ * kWaysOfIndex + k);
            }
        }
    }
}

SectoredCache::Outcome SectoredCache::access_in_index(std::uint64_t line, std::uint8_t sectors, bool allocate,
                                                      bool dirty) {
    if (groups_of_set_ == 0) {
        return {};
    }
    const std::uint64_t hash = spread(line);
    const std::size_t set = set_of(hash);
    for (std::size_t i = 0; i < indices_; ++i) {
        const std::size_t first = set * ways_of_set() + i * kWaysOfIndex;
        unsigned found = equal(sixteen(index_[set * indices_ + i].part), part_of(hash));
        for (; found != 0; found &= found - 1) {
            const std::size_t place = first + static_cast<unsigned>(std::countr_zero(found));
            if (groups_[place / kWaysOfGroup].holds(place % kWaysOfGroup, line)) {
                use_in_index(set, place);
                return hit(place, sectors, allocate, dirty);
            }
        }
    }
    return allocate ? replace_oldest(set, line, sectors, dirty) : Outcome();
}

void SectoredCache::use_in_index(std::size_t set, std::size_t place) {
    const std::size_t way = place - set * ways_of_set();
    std::uint8_t& age = index_[set * indices_ + way / kWaysOfIndex].age[way % kWaysOfIndex];
    const std::uint8_t before = age;
    if (before == 0) {
        return;
    }
    for (Index& index : std::span(index_).subspan(set * indices_, indices_)) {
        _mm_store_si128(reinterpret_cast<__m128i*>(index.age.data()), older(sixteen(index.age), before));
    }
    age = 0;
}

// The place of the set's oldest way.
std::size_t SectoredCache::oldest(std::size_t set) const {
    const auto age = static_cast<std::uint8_t>(ways_ - 1);
    if (index_.empty()) {
        const auto& ages = groups_[set].age;
        return set * kWaysOfGroup + static_cast<std::size_t>(std::find(ages.begin(), ages.end(), age) - ages.begin());
    }
    for (std::size_t i = 0;; ++i) {
        if (const unsigned found = equal(sixteen(index_[set * indices_ + i].age), age); found != 0) {
            return set * ways_of_set() + i * kWaysOfIndex + static_cast<unsigned>(std::countr_zero(found));
        }
    }
}

void SectoredCache::prefetch_way(std::uint64_t line) const {
    if (index_.empty()) {
        return;  // there is nothing more
    }
    const std::uint64_t hash = spread(line);
    const std::size_t set = set_of(hash);
    const Index& first = index_[set * indices_];
    const unsigned found = equal(sixteen(first.part), part_of(hash));
    const std::size_t place =
        found != 0 ? set * ways_of_set() + static_cast<unsigned>(std::countr_zero(found)) : oldest(set);
    __builtin_prefetch(&groups_[place / kWaysOfGroup], 1);
}

SectoredCache::Outcome SectoredCache::replace_oldest(std::size_t set, std::uint64_t line, std::uint8_t sectors,
                                                     bool dirty) {
    const std::size_t place = oldest(set);
    if (index_.empty()) {
        groups_[set].use(place % kWaysOfGroup);
    } else {
        use_in_index(set, place);
        const std::size_t way = place - set * ways_of_set();
        index_[set * indices_ + way / kWaysOfIndex].part[way % kWaysOfIndex] = part_of(spread(line));
    }
    Group& group = groups_[place / kWaysOfGroup];
    const std::size_t way = place % kWaysOfGroup;
    Outcome outcome;
    outcome.evicted_dirty = group.dirty[way];
    outcome.evicted_line = std::uint64_t{group.high[way]} << 32U | group.low[way];
    outcome.place = place;
    group.low[way] = static_cast<std::uint32_t>(line);
    group.high[way] = static_cast<std::uint32_t>(line >> 32U);
    group.ready[way] = 0;
    group.valid[way] = sectors;
    group.dirty[way] = dirty ? sectors : std::uint8_t{0};
    return outcome;
}

void SectoredCache::arrives(std::size_t place, std::uint64_t line, double time) {
    if (place == kNowhere) {
        return;
    }
    Group& group = groups_[place / kWaysOfGroup];
    const std::size_t way = place % kWaysOfGroup;
    if (!group.holds(way, line)) {
        return;
    }
    double behind = settled_ + std::ceil((time - base_) * kParts);
    while (behind >= kFarthest) {
        behind -= kMove;
        move_base();
    }
    if (behind > group.ready[way]) {
        group.ready[way] = static_cast<std::uint32_t>(behind);
        latest_ = std::max(latest_, group.ready[way]);
    }
}

void SectoredCache::move_base() {
    for (Group& group : groups_) {
        for (std::uint32_t& ready : group.ready) {
            ready -= std::min(ready, kMove);
        }
    }
    latest_ -= std::min(latest_, kMove);
    const std::uint32_t settled = std::min(settled_, kMove);
    settled_ -= settled;
    base_ += (kMove - settled) / kParts;
}

// Data that has arrived or is in flight has a time at or before the latest so far, so no line is examined.
void SectoredCache::settle() {
    settled_ = latest_;
    base_ = 0;
    if (settled_ >= kMove) {
        move_base();
        base_ = 0;
    }
}

}  // namespace kymo::gpu
