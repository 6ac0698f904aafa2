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
}

SectoredCache::Outcome SectoredCache::access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty) {
    Outcome outcome;
    last_ = nullptr;
    if (sets_ == 0) {
        return outcome;
    }
    Line* const set = &lines_[pick(spread(line), sets_) * ways_];
    Line* oldest = set;
    ++clock_;
    for (Line* entry = set; entry != set + ways_; ++entry) {
        if (entry->tag == line) {
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
        if (entry->used < oldest->used) {
            oldest = entry;
        }
    }
    if (!allocate) {
        return outcome;
    }
    outcome.evicted_dirty = oldest->dirty;
    outcome.evicted_line = oldest->tag;
    *oldest = {line, 0, clock_, sectors, dirty ? sectors : std::uint8_t{0}};
    last_ = oldest;
    return outcome;
}

void SectoredCache::settle() {
    for (Line& line : lines_) {
        line.ready = 0;
    }
}

void SectoredCache::clear() {
    lines_.assign(lines_.size(), Line());
    clock_ = 0;
    last_ = nullptr;
}

}  // namespace kymo::gpu
