// RISC-V, 64 bits: its registers by DWARF number (RISC-V psABI, DWARF register numbers): 0–31 are x0–x31. x1 (ra) is
// the return address, x2 (sp) the stack pointer, x8 (s0) the frame pointer. Floating-point registers (32–63) are not
// followed.
#pragma once

#include "unwind/link_register/registers.h"

namespace kymo::unwind::riscv64 {

struct Numbers {
    static constexpr unsigned kStackPointer = 2;
    static constexpr unsigned kFramePointer = 8;
    static constexpr unsigned kReturnAddress = 1;
    static constexpr bool kLosesStackPointer = false;  // the frame pointer is the caller's stack pointer

    static constexpr std::uint64_t code_address(std::uint64_t value) { return value; }
    static constexpr bool is_marker(std::uint8_t /*operation*/) { return false; }
};

using Registers = link_register::Registers<Numbers>;

}  // namespace kymo::unwind::riscv64
