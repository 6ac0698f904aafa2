// aarch64: its registers by DWARF number (DWARF for the Arm 64-bit Architecture, section 4.1): 0–30 are x0–x30, 31 is
// the stack pointer. x29 is the frame pointer, x30 the return address. Vector registers (64–95) are not followed.
#pragma once

#include "unwind/link_register/registers.h"

namespace kymo::unwind::aarch64 {

struct Numbers {
    static constexpr unsigned kStackPointer = 31;
    static constexpr unsigned kFramePointer = 29;
    static constexpr unsigned kReturnAddress = 30;
    // The frame record is usually at the lower end of its frame (recover.h).
    static constexpr bool kLosesStackPointer = true;

    // Pointer authentication signs return addresses in the bits above the address; the kernel gives programs 48
    // bits unless they request more. Unsigned addresses have zeroes there. So the signature is removed whatever
    // the rules say about it.
    static constexpr std::uint64_t code_address(std::uint64_t value) {
        return value & ((std::uint64_t{1} << 48U) - 1);
    }

    // DW_CFA_AARCH64_negate_ra_state, and the same with the program counter in the signature: toggles whether
    // return addresses are signed.
    static constexpr bool is_marker(std::uint8_t operation) { return operation == 0x2D || operation == 0x2C; }
};

using Registers = link_register::Registers<Numbers>;

}  // namespace kymo::unwind::aarch64
