#include "gpu/sectored_cache.h"

#include "gpu/coalesce.h"

#include <algorithm>
#include <cmath>

namespace kymo::gpu {
namespace {

// Times lie at most so far behind the base, 134 million cycles, before it moves on by half of that.
constexpr double kFarthest = 1U << 31U;
constexpr std::uint32_t kMove = 1U << 30U;

}  // namespace

SectoredCache::SectoredCache(std::uint64_t bytes, unsigned ways, std::pmr::memory_resource* memory)
    : ways_(ways), sets_(bytes / (static_cast<std::uint64_t>(kLineBytes) * ways)), lines_(memory) {
    if (sets_ == 0 && bytes >= kLineBytes) {  // smaller than one full set
        ways_ = static_cast<unsigned>(bytes / kLineBytes);
        sets_ = 1;
    }
    groups_ = (ways_ + kWaysOfGroup - 1) / kWaysOfGroup;
    lines_.resize(sets_ * groups_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        Group& group = lines_[i];
        group.low.fill(kNoLine);
        group.high.fill(kNoLine);
        for (unsigned k = 0; k < kWaysOfGroup; ++k) {
            const auto way = static_cast<unsigned>(i % groups_) * kWaysOfGroup + k;
            group.age[k] = way < ways_ ? static_cast<std::uint16_t>(way) : kNoWay;
        }
    }
}

SectoredCache::Outcome SectoredCache::replace_oldest(std::size_t first, std::uint64_t line, std::uint8_t sectors,
                                                     bool dirty) {
    for (std::size_t group = first;; ++group) {
        Group& ways = lines_[group];
        for (unsigned way = 0; way < kWaysOfGroup; ++way) {
            if (ways.age[way] != ways_ - 1) {
                continue;
            }
            Outcome outcome;
            outcome.evicted_dirty = ways.dirty[way];
            outcome.evicted_line = std::uint64_t{ways.high[way]} << 32U | ways.low[way];
            outcome.place = group * kWaysOfGroup + way;
            use(first, group, way);
            ways.low[way] = static_cast<std::uint32_t>(line);
            ways.high[way] = static_cast<std::uint32_t>(line >> 32U);
            ways.ready[way] = 0;
            ways.valid[way] = sectors;
            ways.dirty[way] = dirty ? sectors : std::uint8_t{0};
            return outcome;
        }
    }
}

void SectoredCache::arrives(std::size_t place, std::uint64_t line, double time) {
    if (place == kNowhere) {
        return;
    }
    Group& ways = lines_[place / kWaysOfGroup];
    const std::size_t way = place % kWaysOfGroup;
    if (ways.low[way] != static_cast<std::uint32_t>(line) || ways.high[way] != line >> 32U) {
        return;
    }
    double behind = settled_ + std::ceil((time - base_) * kParts);
    while (behind >= kFarthest) {
        behind -= kMove;
        move_base();
    }
    if (behind > ways.ready[way]) {
        ways.ready[way] = static_cast<std::uint32_t>(behind);
        latest_ = std::max(latest_, ways.ready[way]);
    }
}

void SectoredCache::move_base() {
    for (Group& group : lines_) {
        for (std::uint32_t& ready : group.ready) {
            ready -= std::min(ready, kMove);
        }
    }
    latest_ -= std::min(latest_, kMove);
    const std::uint32_t settled = std::min(settled_, kMove);
    settled_ -= settled;
    base_ += (kMove - settled) / kParts;
}

// What has arrived or is under way is known by its time being at or before the latest so far; no line is looked at.
void SectoredCache::settle() {
    settled_ = latest_;
    base_ = 0;
    if (settled_ >= kMove) {
        move_base();
        base_ = 0;
    }
}

}  // namespace kymo::gpu
