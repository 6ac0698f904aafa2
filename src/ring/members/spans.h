// How the slots are cut into spans: evenly into segments, and once more where a span's tokens do not return.
//
// A round trip over n slots in S segments takes about (n / S) a + S c, where a is the cost of a hop and c that of
// a token and its reply at the manager: minimal at S = sqrt(n a / c). A span that failed twice in a row is cut in
// the middle, since more neighbours are gone than the agent before them watches. A cut is removed when the slots
// on both sides of it are there.
#pragma once

#include "ring/protocol/layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace kymo::ring {

struct Span {
    Slot first = 0;
    Slot end = 0;
    std::uint32_t failures = 0;  // in a row
};

// `hop` and `token` in the same unit. Between 1 and the number of slots.
inline std::uint32_t best_segments(std::uint32_t slots, double hop, double token) {
    if (hop <= 0 || token <= 0) {
        return 1;
    }
    const double best = std::sqrt(static_cast<double>(slots) * hop / token);
    return static_cast<std::uint32_t>(std::clamp(std::round(best), 1.0, std::max<double>(slots, 1)));
}

class Spans {
  public:
    static constexpr std::size_t kMaxCuts = 256;

    // True: the spans have changed.
    bool set(std::uint32_t slots, std::uint32_t segments) {
        segments = std::clamp<std::uint32_t>(segments, 1, std::max<std::uint32_t>(slots, 1));
        if (slots == slots_ && segments == segments_) {
            return false;
        }
        slots_ = slots;
        segments_ = segments;
        cut();
        return true;
    }

    [[nodiscard]] const std::vector<Span>& all() const { return spans_; }
    [[nodiscard]] std::uint32_t segments() const { return segments_; }
    [[nodiscard]] std::size_t cuts() const { return cuts_.size(); }

    // For the span that begins at `first`. True: the spans have changed.
    bool failed(Slot first) {
        const auto span = find(first);
        if (span == spans_.end() || ++span->failures < 2 || span->end - span->first < 2 || cuts_.size() >= kMaxCuts) {
            return false;
        }
        cuts_.insert(span->first + (span->end - span->first) / 2);
        cut();
        return true;
    }
    void succeeded(Slot first) {
        const auto span = find(first);
        if (span != spans_.end()) {
            span->failures = 0;
        }
    }

    // Removes cuts that are not needed any more. True: the spans have changed.
    template <typename IsHole>
    bool mend(IsHole is_hole) {
        const std::size_t gone =
            std::erase_if(cuts_, [&](Slot slot) { return !is_hole(slot - 1) && !is_hole(slot); });
        if (gone > 0) {
            cut();
        }
        return gone > 0;
    }

  private:
    std::vector<Span>::iterator find(Slot first) {
        return std::find_if(spans_.begin(), spans_.end(), [first](const Span& span) { return span.first == first; });
    }
    void cut() {
        std::set<Slot> starts = cuts_;
        for (std::uint64_t i = 0; i < segments_; ++i) {
            starts.insert(static_cast<Slot>(i * slots_ / segments_));
        }
        spans_.clear();
        for (const Slot first : starts) {
            if (!spans_.empty()) {
                spans_.back().end = first;
            }
            spans_.push_back({first, slots_, 0});
        }
    }

    std::uint32_t slots_ = 0;
    std::uint32_t segments_ = 0;
    std::set<Slot> cuts_;
    std::vector<Span> spans_;
};

}  // namespace kymo::ring
