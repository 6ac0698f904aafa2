// What a counter that is read as a sum over objects has grown by since it was first read.
//
// Programs that end take their cells along, so such a sum may go down; its growth does not: what a smaller sum hides
// is not known, and counts as nothing. What a program counted between its last reading and its end is not in it.
//
// A row that kept changing while it was read is missing in the sum. Only sums over as many unknown objects are
// compared: a row that comes back has not counted all that it stands at. Where as many stay unknown for two readings,
// growth goes on from there without them.
#pragma once

#include <cstdint>
#include <optional>

namespace kymo::ring {

class Growth {
  public:
    // With what it is now, modulo 2^64, as cells add up, and how many objects are not in it.
    std::uint64_t take(std::uint64_t sum, std::uint64_t unknown) {
        const Reading now{sum, unknown};
        if (!base_) {
            base_ = now;
        } else if (unknown == base_->unknown) {
            go_on_from(*base_, now);
        } else if (unknown == last_.unknown) {
            go_on_from(last_, now);
        }
        last_ = now;
        return grown_;
    }
    [[nodiscard]] std::uint64_t grown() const { return grown_; }

  private:
    struct Reading {
        std::uint64_t sum = 0;
        std::uint64_t unknown = 0;
    };
    void go_on_from(const Reading& before, const Reading& now) {
        const auto change = static_cast<std::int64_t>(now.sum - before.sum);
        grown_ += change > 0 ? static_cast<std::uint64_t>(change) : 0;
        base_ = now;
    }

    std::optional<Reading> base_;  // what was counted up to
    Reading last_;
    std::uint64_t grown_ = 0;
};

}  // namespace kymo::ring
