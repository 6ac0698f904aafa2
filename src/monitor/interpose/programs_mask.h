// The signal mask of a thread as the program sees it (program_signals.h describes how it is kept).
#pragma once

#include <cstdint>

namespace kymo::monitor {

struct ProgramsMask {
    bool has_stand_in = false;  // the program itself has blocked the stand-in
    bool lets_through = false;  // in a call that waits with a mask of its own, without the sampling signal

    // The kernel's mask as the program sees it.
    [[nodiscard]] std::uint64_t shown(std::uint64_t kernels) const;

    // For a thread with this kernel mask, about to be measured: the mask it must have.
    [[nodiscard]] std::uint64_t adopt(std::uint64_t kernels);
};

}  // namespace kymo::monitor
