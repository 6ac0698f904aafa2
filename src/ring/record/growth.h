// What a counter that is read as a sum over programs has grown by since it was first read.
//
// Programs that end take their cells along, so such a sum may go down; its growth does not: what a smaller sum hides
// is not known, and counts as nothing. What a program counted between its last reading and its end is not in it.
#pragma once

#include <cstdint>

namespace kymo::ring {

class Growth {
  public:
    // With what it is now; modulo 2^64, as cells add up.
    std::uint64_t take(std::uint64_t sum) {
        const std::uint64_t change = is_known_ ? sum - last_ : 0;
        grown_ += static_cast<std::int64_t>(change) > 0 ? change : 0;
        last_ = sum;
        is_known_ = true;
        return grown_;
    }
    [[nodiscard]] std::uint64_t grown() const { return grown_; }

  private:
    bool is_known_ = false;
    std::uint64_t last_ = 0;
    std::uint64_t grown_ = 0;
};

}  // namespace kymo::ring
