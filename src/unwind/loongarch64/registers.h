// LoongArch, 64 bits: its registers by DWARF number (ELF psABI for the LoongArch Architecture, DWARF register
// numbers): 0–31 are r0–r31. r1 (ra) is the return address, r3 (sp) the stack pointer, r22 (fp) the frame pointer.
// Floating-point registers (32–63) are not followed.
#pragma once

#include "unwind/link_register/registers.h"

namespace kymo::unwind::loongarch64 {

struct Numbers {
    static constexpr unsigned kStackPointer = 3;
    static constexpr unsigned kFramePointer = 22;
    static constexpr unsigned kReturnAddress = 1;
    static constexpr bool kLosesStackPointer = false;  // the frame pointer is the caller's stack pointer

    static constexpr std::uint64_t code_address(std::uint64_t value) { return value; }
    static constexpr bool is_marker(std::uint8_t /*operation*/) { return false; }
};

using Registers = link_register::Registers<Numbers>;

}  // namespace kymo::unwind::loongarch64
