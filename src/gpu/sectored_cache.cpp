#include "gpu/sectored_cache.h"

#include "gpu/coalesce.h"

namespace kymo::gpu {

SectoredCache::SectoredCache(std::uint64_t bytes, unsigned ways)
    : ways_(ways), sets_(bytes / (static_cast<std::uint64_t>(kLineBytes) * ways)) {
    if (sets_ == 0 && bytes >= kLineBytes) {  // smaller than one full set
        ways_ = static_cast<unsigned>(bytes / kLineBytes);
        sets_ = 1;
    }
    lines_.resize(sets_ * ways_);
    tags_.resize(sets_ * ways_, kNoLine);
}

SectoredCache::Outcome SectoredCache::access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty) {
    Outcome outcome;
    last_ = nullptr;
    if (sets_ == 0) {
        return outcome;
    }
    const std::uint64_t first = pick(spread(line), sets_) * ways_;
    ++clock_;
    for (std::uint64_t i = first; i != first + ways_; ++i) {
        if (tags_[i] == line) {
            Line* const entry = &lines_[i];
            outcome.hits = entry->valid & sectors;
            outcome.ready = entry->ready;
            entry->used = clock_;
            if (allocate) {
                entry->valid |= sectors;
                last_ = entry;
            }
            if (dirty && allocate) {
                entry->dirty |= sectors;
            }
            return outcome;
        }
    }
    if (!allocate) {
        return outcome;
    }
    std::uint64_t oldest = first;
    for (std::uint64_t i = first; i != first + ways_; ++i) {
        oldest = lines_[i].used < lines_[oldest].used ? i : oldest;
    }
    outcome.evicted_dirty = lines_[oldest].dirty;
    outcome.evicted_line = tags_[oldest];
    tags_[oldest] = line;
    lines_[oldest] = {0, clock_, sectors, dirty ? sectors : std::uint8_t{0}};
    last_ = &lines_[oldest];
    return outcome;
}

void SectoredCache::settle() {
    // A cache that is kept over many launches must not see its clock come round: ages are forgotten long before.
    const bool restart = clock_ >= 1U << 31U;
    for (Line& line : lines_) {
        line.ready = 0;
        line.used = restart ? 0 : line.used;
    }
    clock_ = restart ? 0 : clock_;
}

void SectoredCache::clear() {
    lines_.assign(lines_.size(), Line());
    tags_.assign(tags_.size(), kNoLine);
    clock_ = 0;
    last_ = nullptr;
}

}  // namespace kymo::gpu
