// aarch64: finding the caller without a rule (link_register/recover.h).
#pragma once

#include "unwind/aarch64/epilogue.h"
#include "unwind/aarch64/step.h"
#include "unwind/link_register/recover.h"

namespace kymo::unwind::aarch64 {

// The frame record that x29 points to (Procedure Call Standard, section 6.4.6). Compilers place it at the lower
// end of the frame, whose size it does not contain.
struct FrameRecord {
    static constexpr std::uint64_t kFrame = 0;
    static constexpr std::uint64_t kReturn = 8;
    static constexpr std::uint64_t kCaller = 16;
    static constexpr bool kGivesStackPointer = false;
    static constexpr std::uint64_t code_address(std::uint64_t value) { return Numbers::code_address(value); }
};

}  // namespace kymo::unwind::aarch64
