// The order of a level's occurrences in one stream, in bounded memory: symbols with their begins. When it is full,
// occurrences of fewer than 2, then 4, 8, … samples are left out: a longer stretch at a coarser
// resolution.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_table.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kymo::spacetime {

class OccurrenceSequence {
  public:
    struct Entry {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t node = kOutside;
        std::uint32_t samples = 0;
    };

    template <typename Visit>
    void members(const Visit& visit) {
        visit(entries_, least_);
    }

    void add(const Entry& entry, std::size_t cap) {
        if (entry.samples < least_) {
            return;
        }
        entries_.push_back(entry);
        while (entries_.size() >= cap && least_ < 1U << 30U) {
            least_ *= 2;
            std::erase_if(entries_, [&](const Entry& old) { return old.samples < least_; });
        }
    }

    const std::vector<Entry>& entries() const { return entries_; }
    std::uint32_t least_samples() const { return least_; }

  private:
    std::vector<Entry> entries_;
    std::uint32_t least_ = 1;
};

}  // namespace kymo::spacetime
