// RISC-V, 64 bits: finding the caller without a rule (link_register/recover.h).
#pragma once

#include "unwind/link_register/recover.h"
#include "unwind/riscv64/epilogue.h"
#include "unwind/riscv64/step.h"

namespace kymo::unwind::riscv64 {

// s0 is the caller's stack pointer; what is saved is below it.
struct FrameRecord {
    static constexpr std::uint64_t kReturn = std::uint64_t{0} - 8;
    static constexpr std::uint64_t kFrame = std::uint64_t{0} - 16;
    static constexpr std::uint64_t kCaller = 0;
    static constexpr bool kGivesStackPointer = true;
    static constexpr std::uint64_t code_address(std::uint64_t value) { return value; }
};

}  // namespace kymo::unwind::riscv64
