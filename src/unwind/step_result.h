// The result of a step from a frame to its caller.
#pragma once

#include <cstdint>

namespace kymo::unwind {

enum class StepResult : std::uint8_t {
    kOk,            // the cursor is in the caller, at its return address
    kSignal,        // the cursor is in what a signal interrupted, at its program counter
    kBadRule,       // not computable, or needs a register that is not known here; the cursor is unchanged
    kOutsideStack,  // needs memory outside the view; the cursor is unchanged
    kNoProgress,    // the stack pointer would not increase; the cursor is unchanged
};

}  // namespace kymo::unwind
