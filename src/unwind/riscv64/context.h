// RISC-V, 64 bits: where a signal's context (ucontext_t of Linux) keeps the registers. Offsets in bytes:
//
//     0  uc_flags, uc_link   8 each
//    16  uc_stack            24
//    40  uc_sigmask          128 with what is kept for more signals, then 8 that align
//   176  uc_mcontext: pc
//   184  x1 … x31            31 × 8
//
// Source: Linux, arch/riscv/include/uapi/asm/ucontext.h, sigcontext.h and ptrace.h (user_regs_struct).
#pragma once

#include "unwind/riscv64/registers.h"

namespace kymo::unwind::riscv64 {

struct Context {
    static constexpr std::uint64_t kPc = 176;
    // x0 is always 0 and has no place; its slot contains the program counter.
    static constexpr std::uint64_t place_of(unsigned number) { return 176 + std::uint64_t{8} * number; }
};

}  // namespace kymo::unwind::riscv64
