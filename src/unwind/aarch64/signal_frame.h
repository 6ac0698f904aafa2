// aarch64: the code that returns from a signal handler, in the vDSO. Its rules lead to the interrupted function's
// caller by the frame record alone and skip that function, so it is recognised by its bytes.
//
// Source: Linux, arch/arm64/kernel/vdso/sigreturn.S.
#pragma once

#include "unwind/aarch64/context.h"
#include "unwind/link_register/signal_frame.h"

namespace kymo::unwind::aarch64 {

//   d2801168  mov x8, #139    rt_sigreturn
//   d4000001  svc #0
inline constexpr std::array<std::uint32_t, 2> kSignalReturn = {0xD2801168, 0xD4000001};

}  // namespace kymo::unwind::aarch64
