// LoongArch, 64 bits: the code that returns from a signal handler, in the vDSO. Its call-frame information marks a
// signal frame without describing the registers, so it is recognised by its bytes.
//
// Source: Linux, arch/loongarch/vdso/sigreturn.S.
#pragma once

#include "unwind/link_register/signal_frame.h"
#include "unwind/loongarch64/context.h"

namespace kymo::unwind::loongarch64 {

//   03822c0b  ori $a7, $zero, 139    rt_sigreturn
//   002b0000  syscall 0
inline constexpr std::array<std::uint32_t, 2> kSignalReturn = {0x03822C0B, 0x002B0000};

}  // namespace kymo::unwind::loongarch64
