// LoongArch, 64 bits: where a signal's context (ucontext_t of Linux) keeps the registers. Offsets in bytes:
//
//     0  uc_flags, uc_link    8 each
//    16  uc_stack             24
//    40  uc_sigmask           128 with what is kept for more signals, then 8 that align
//   176  uc_mcontext: sc_pc
//   184  sc_regs: r0 … r31    32 × 8
//
// Source: Linux, arch/loongarch/include/uapi/asm/ucontext.h and sigcontext.h.
#pragma once

#include "unwind/loongarch64/registers.h"

namespace kymo::unwind::loongarch64 {

struct Context {
    static constexpr std::uint64_t kPc = 176;
    static constexpr std::uint64_t place_of(unsigned number) { return 184 + std::uint64_t{8} * number; }
};

}  // namespace kymo::unwind::loongarch64
