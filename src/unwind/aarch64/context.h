// aarch64: where a signal's context (ucontext_t of Linux) keeps the registers. Offsets in bytes:
//
//     0  uc_flags, uc_link   8 each
//    16  uc_stack            24
//    40  uc_sigmask          128 with what is kept for more signals, then 8 that align
//   176  uc_mcontext: fault_address
//   184  regs: x0 … x30      31 × 8
//   432  sp
//   440  pc
//   448  pstate
//
// Source: Linux, arch/arm64/include/uapi/asm/ucontext.h and sigcontext.h.
#pragma once

#include "unwind/aarch64/registers.h"

namespace kymo::unwind::aarch64 {

struct Context {
    static constexpr std::uint64_t kPc = 440;
    static constexpr std::uint64_t place_of(unsigned number) { return 184 + std::uint64_t{8} * number; }
};
static_assert(Context::place_of(Numbers::kStackPointer) == 432);

}  // namespace kymo::unwind::aarch64
