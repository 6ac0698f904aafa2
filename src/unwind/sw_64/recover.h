// Sunway sw_64: finding the caller without a rule (link_register/recover.h).
#pragma once

#include "unwind/link_register/recover.h"
#include "unwind/sw_64/epilogue.h"
#include "unwind/sw_64/step.h"

namespace kymo::unwind::sw_64 {

// Left at R15 by ldi $30, -n($30); stl $26, 0($30); stl $15, 8($30); mov $30, $15: the record is the lower end of
// the frame, whose size it does not contain.
struct FrameRecord {
    static constexpr std::uint64_t kReturn = 0;
    static constexpr std::uint64_t kFrame = 8;
    static constexpr std::uint64_t kCaller = 16;
    static constexpr bool kGivesStackPointer = false;
    static constexpr std::uint64_t code_address(std::uint64_t value) { return Numbers::code_address(value); }
};

}  // namespace kymo::unwind::sw_64
