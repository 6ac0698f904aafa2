// The areas of an address space at rising times.
#pragma once

#include "spacetime/address_map/area_span.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// Its spans are one account's, by `seen`. Cost of all calls together: n log n.
class MapCursor {
  public:
    explicit MapCursor(std::vector<AreaSpan> spans) : spans_(std::move(spans)) {
        for (const AreaSpan& span : spans_) {
            if (span.gone) {
                ends_.push_back(&span);
            }
        }
        std::stable_sort(ends_.begin(), ends_.end(),
                         [](const AreaSpan* a, const AreaSpan* b) { return *a->gone < *b->gone; });
    }

    // By address.
    const std::map<std::uint64_t, const AreaSpan*>& at(std::uint64_t time) {
        for (; next_ < spans_.size() && spans_[next_].seen < time; ++next_) {
            there_[spans_[next_].begin] = &spans_[next_];
        }
        for (; next_end_ < ends_.size() && *ends_[next_end_]->gone <= time; ++next_end_) {
            const auto found = there_.find(ends_[next_end_]->begin);
            if (found != there_.end() && found->second == ends_[next_end_]) {
                there_.erase(found);
            }
        }
        for (; next_ < spans_.size() && spans_[next_].seen == time; ++next_) {
            there_[spans_[next_].begin] = &spans_[next_];
        }
        return there_;
    }

  private:
    std::vector<AreaSpan> spans_;
    std::vector<const AreaSpan*> ends_;
    std::size_t next_ = 0;
    std::size_t next_end_ = 0;
    std::map<std::uint64_t, const AreaSpan*> there_;
};

}  // namespace kymo::spacetime
