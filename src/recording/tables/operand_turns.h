// Which samples of a thread are recorded with operands (tables/samples.h). Pure; usable in signal handlers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kymo::recording {

// Every second one at first, and after each kRows of them half as often, so that a thread's rows take 80 bytes times
// 256 for each doubling of its time, and short runs have enough.
class OperandTurns {
  public:
    bool take() {
        if (left_ != 0) {
            --left_;
            return false;
        }
        left_ = (2U << std::min(rows_ / kRows, kMostHalvings)) - 1;
        ++rows_;
        return true;
    }

  private:
    static constexpr std::uint32_t kRows = 256;
    static constexpr std::uint32_t kMostHalvings = 16;

    std::uint32_t rows_ = 0;
    std::uint32_t left_ = 0;  // samples to leave out
};

}  // namespace kymo::recording
