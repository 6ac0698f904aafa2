// x86-64: the registers in the kernel's layout (struct pt_regs), for code that runs in the kernel (whose compiler
// has only C headers).
#pragma once

#include <stdint.h>

namespace kymo::x86_64 {

struct KernelRegisters {
    uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax;
    uint64_t rip, cs, rflags, rsp, ss;
};

}  // namespace kymo::x86_64
