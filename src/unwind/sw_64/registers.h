// Sunway sw_64: its registers by DWARF number: 0–31 are the integer registers, 32–62 the floating-point ones
// (which no rule uses here). R15 is the frame pointer, R26 the return address, R30 the stack pointer, R31 reads as
// zero.
//
// Sources: the sw_64 port of Linux (github.com/openeuler-mirror/kernel): arch/sw_64/kernel/stacktrace.c (frame
// pointer, the simple prologue), kernel/vdso/vrt_sigreturn.S (DWARF numbers); QEMU's (openeuler-mirror/qemu):
// target/sw64. The LLVM port's register table has the same numbers (R0 is DWARF 0, R26 the return address, R9–R15
// and R30 preserved).
#pragma once

#include "unwind/link_register/registers.h"

namespace kymo::unwind::sw_64 {

struct Numbers {
    static constexpr unsigned kStackPointer = 30;
    static constexpr unsigned kFramePointer = 15;
    static constexpr unsigned kReturnAddress = 26;
    // The frame pointer is the stack pointer's value: it is the frame's beginning, not its end (recover.h).
    static constexpr bool kLosesStackPointer = true;

    // The lowest two bits of a jump's target are hints to the processor.
    static constexpr std::uint64_t code_address(std::uint64_t value) { return value & ~std::uint64_t{3}; }
    static constexpr bool is_marker(std::uint8_t /*operation*/) { return false; }
};

using Registers = link_register::Registers<Numbers>;

}  // namespace kymo::unwind::sw_64
