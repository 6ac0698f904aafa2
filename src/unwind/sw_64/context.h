// Sunway sw_64: where a signal's context (struct ucontext of Linux) keeps the registers. Offsets in bytes:
//
//     0  uc_flags, uc_link, uc_old_sigmask   8 each
//    24  uc_stack                            24
//    48  uc_mcontext: sc_onstack, sc_mask    8 each
//    64  sc_pc
//    72  sc_ps
//    80  sc_regs: R0 … R30, then 0 for R31   32 × 8
//   336  sc_ownedfp                          8
//   344  sc_fpregs: 32 × 4 words, vectors    1,024
//
// Source: arch/sw_64/include/uapi/asm/sigcontext.h and ucontext.h of the port (registers.h); its signal.c asserts
// that uc_mcontext is 176 bytes behind the frame's begin, which is 128 bytes of siginfo_t before the context. (QEMU's
// user mode has 32 words of sc_fpregs; what comes before them is the same.)
#pragma once

#include "unwind/sw_64/registers.h"

namespace kymo::unwind::sw_64 {

struct Context {
    static constexpr std::uint64_t kPc = 64;
    static constexpr std::uint64_t place_of(unsigned number) { return 80 + std::uint64_t{8} * number; }
};

}  // namespace kymo::unwind::sw_64
