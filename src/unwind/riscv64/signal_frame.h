// RISC-V, 64 bits: the code that returns from a signal handler, in the vDSO. Its call-frame information marks a
// signal frame without describing the registers, so it is recognised by its bytes.
//
// Source: Linux, arch/riscv/kernel/vdso/rt_sigreturn.S.
#pragma once

#include "unwind/link_register/signal_frame.h"
#include "unwind/riscv64/context.h"

namespace kymo::unwind::riscv64 {

//   08b00893  li a7, 139    rt_sigreturn
//   00000073  ecall
inline constexpr std::array<std::uint32_t, 2> kSignalReturn = {0x08B00893, 0x00000073};

}  // namespace kymo::unwind::riscv64
