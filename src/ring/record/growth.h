// The growth, since it was first read, of a counter that is a sum over objects.
//
// Programs that end take their cells along, so such a sum may decrease; its growth does not: growth that a smaller
// sum hides is not known and counts as 0. What a program counted between its last reading and its end is not
// included.
//
// A row that kept changing while it was read is missing in the sum. Only sums with equally many unknown objects
// are compared, because a row that reappears has not counted its whole value since. If the number of unknown
// objects stays the same for two readings, growth continues from there without them.
#pragma once

#include <cstdint>
#include <optional>

namespace kymo::ring {

class Growth {
  public:
    // Takes the present sum, modulo 2^64, as cells are added, and the number of objects that it lacks.
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
