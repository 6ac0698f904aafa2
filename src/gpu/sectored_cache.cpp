#include "gpu/sectored_cache.h"

#include "gpu/coalesce.h"

#include <algorithm>
#include <cmath>

namespace kymo::gpu {
namespace {

constexpr double kParts = 16;  // of a cycle
// Times lie at most so far behind the base, 134 million cycles, before it moves on by half of that.
constexpr double kFarthest = 1U << 31U;
constexpr std::uint32_t kMove = 1U << 30U;

}  // namespace

SectoredCache::SectoredCache(std::uint64_t bytes, unsigned ways)
    : ways_(ways), sets_(bytes / (static_cast<std::uint64_t>(kLineBytes) * ways)) {
    if (sets_ == 0 && bytes >= kLineBytes) {  // smaller than one full set
        ways_ = static_cast<unsigned>(bytes / kLineBytes);
        sets_ = 1;
    }
    lines_.resize(sets_ * ways_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        lines_[i].age = static_cast<std::uint16_t>(i % ways_);
    }
}

void SectoredCache::use(Line* set, Line& used) {
    for (unsigned i = 0; i < ways_; ++i) {
        set[i].age = static_cast<std::uint16_t>(set[i].age + (set[i].age < used.age ? 1 : 0));
    }
    used.age = 0;
}

SectoredCache::Outcome SectoredCache::access(std::uint64_t line, std::uint8_t sectors, bool allocate, bool dirty) {
    Outcome outcome;
    if (sets_ == 0) {
        return outcome;
    }
    Line* const set = &lines_[first_of(line)];
    for (Line* entry = set; entry != set + ways_; ++entry) {
        if (entry->tag == line) {
            outcome.hits = entry->valid & sectors;
            outcome.ready = entry->ready != 0 ? base_ + entry->ready / kParts : 0;
            if (entry->age != 0) {
                use(set, *entry);
            }
            if (allocate) {
                entry->valid |= sectors;
                entry->dirty |= dirty ? sectors : std::uint8_t{0};
                outcome.place = static_cast<std::size_t>(entry - lines_.data());
            }
            return outcome;
        }
    }
    if (!allocate) {
        return outcome;
    }
    Line* oldest = set;
    while (oldest->age != ways_ - 1) {
        ++oldest;
    }
    outcome.evicted_dirty = oldest->dirty;
    outcome.evicted_line = oldest->tag;
    use(set, *oldest);
    oldest->tag = line;
    oldest->ready = 0;
    oldest->valid = sectors;
    oldest->dirty = dirty ? sectors : std::uint8_t{0};
    outcome.place = static_cast<std::size_t>(oldest - lines_.data());
    return outcome;
}

void SectoredCache::arrives(std::size_t place, std::uint64_t line, double time) {
    if (place == kNowhere || lines_[place].tag != line) {
        return;
    }
    double behind = std::ceil((time - base_) * kParts);
    while (behind >= kFarthest) {
        move_base();
        behind -= kMove;
    }
    if (behind > lines_[place].ready) {
        lines_[place].ready = static_cast<std::uint32_t>(behind);
    }
}

void SectoredCache::move_base() {
    for (Line& line : lines_) {
        line.ready -= std::min(line.ready, kMove);
    }
    base_ += kMove / kParts;
}

void SectoredCache::settle() {
    for (Line& line : lines_) {
        line.ready = 0;
    }
    base_ = 0;
}

}  // namespace kymo::gpu
