// Sunway sw_64: the code that returns from a signal handler. The kernel points the handler's return address to it
// in the vDSO (__vdso_rt_sigreturn). Its call-frame information has a return column of its own (64), which the
// rules of other functions have not, so it is recognised by its bytes.
//
// Source: the port's arch/sw_64/kernel/vdso/vrt_sigreturn.S and kernel/syscalls/syscall.tbl (351); encodings: its
// insn.h.
#pragma once

#include "unwind/link_register/signal_frame.h"
#include "unwind/sw_64/context.h"

namespace kymo::unwind::sw_64 {

//   43fe0750  mov $30, $16    bis $31, $30, $16
//   f81f015f  ldi $0, 351     rt_sigreturn
//   02000083  sys_call 0x83
inline constexpr std::array<std::uint32_t, 3> kSignalReturn = {0x43FE0750, 0xF81F015F, 0x02000083};

}  // namespace kymo::unwind::sw_64
