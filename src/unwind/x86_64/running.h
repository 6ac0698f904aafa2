// x86-64: operations that need the processor itself: the running thread's registers, and waiting.
//
// Contract: usable in signal handlers; nothing fails.
#pragma once

#include "unwind/x86_64/context.h"

#include <cstring>
#include <ucontext.h>

namespace kymo::unwind::x86_64 {

// Control and status of both floating-point units and the sixteen vector registers, as recordings keep them: 264
// bytes.
struct FloatRegisters {
    std::uint32_t mxcsr = 0;
    std::uint32_t x87_control = 0;
    std::array<std::array<std::uint8_t, 16>, 16> xmm{};
};
static_assert(sizeof(FloatRegisters) == 4 + 4 + 16 * 16);

// The calling function's registers at this very place; the program counter is that of the function this is inlined
// into, so the walk from here is Start::kInterrupted. Its own frame comes first. In place: a copy would cost more
// than all the rest of a brief wait.
__attribute__((always_inline)) inline void capture_here(Registers& here) {
    asm volatile(
        "movq %%rax,   0(%[to])\n\t"
        "movq %%rdx,   8(%[to])\n\t"
        "movq %%rcx,  16(%[to])\n\t"
        "movq %%rbx,  24(%[to])\n\t"
        "movq %%rsi,  32(%[to])\n\t"
        "movq %%rdi,  40(%[to])\n\t"
        "movq %%rbp,  48(%[to])\n\t"
        "movq %%rsp,  56(%[to])\n\t"
        "movq %%r8,   64(%[to])\n\t"
        "movq %%r9,   72(%[to])\n\t"
        "movq %%r10,  80(%[to])\n\t"
        "movq %%r11,  88(%[to])\n\t"
        "movq %%r12,  96(%[to])\n\t"
        "movq %%r13, 104(%[to])\n\t"
        "movq %%r14, 112(%[to])\n\t"
        "movq %%r15, 120(%[to])\n\t"
        "leaq 0(%%rip), %%rax\n\t"
        "movq %%rax, 128(%[to])\n\t"
        :
        : [to] "r"(&here)
        : "rax", "memory");
}

__attribute__((always_inline)) inline Registers capture_here() {
    Registers here;
    capture_here(here);
    return here;
}
static_assert(offsetof(Registers, pc) == 128);

// What a signal interrupted; `context` is a handler's third argument.
inline Registers registers_from(const ucontext_t& context) {
    Registers registers;
    for (unsigned i = 0; i < kGeneralRegisters; ++i) {
        registers.general[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kInContext[i]]);
    }
    registers.pc = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kPcInContext]);
    return registers;
}
static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == kContextRegisters);
static_assert(kPcInContext == REG_RIP && kInContext[kRax] == REG_RAX && kInContext[kRdx] == REG_RDX &&
              kInContext[kRcx] == REG_RCX && kInContext[kRbx] == REG_RBX && kInContext[kRsi] == REG_RSI &&
              kInContext[kRdi] == REG_RDI && kInContext[kRbp] == REG_RBP && kInContext[kRsp] == REG_RSP &&
              kInContext[kR8] == REG_R8 && kInContext[kR9] == REG_R9 && kInContext[kR10] == REG_R10 &&
              kInContext[kR11] == REG_R11 && kInContext[kR12] == REG_R12 && kInContext[kR13] == REG_R13 &&
              kInContext[kR14] == REG_R14 && kInContext[kR15] == REG_R15);

inline FloatRegisters capture_float_here() {
    FloatRegisters here;
    std::uint16_t control = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(here.mxcsr), "=m"(control));
    here.x87_control = control;
    asm volatile(
        "movups %%xmm0,     (%0)\n\tmovups %%xmm1,   16(%0)\n\tmovups %%xmm2,   32(%0)\n\tmovups %%xmm3,   48(%0)\n\t"
        "movups %%xmm4,   64(%0)\n\tmovups %%xmm5,   80(%0)\n\tmovups %%xmm6,   96(%0)\n\tmovups %%xmm7,  112(%0)\n\t"
        "movups %%xmm8,  128(%0)\n\tmovups %%xmm9,  144(%0)\n\tmovups %%xmm10, 160(%0)\n\tmovups %%xmm11, 176(%0)\n\t"
        "movups %%xmm12, 192(%0)\n\tmovups %%xmm13, 208(%0)\n\tmovups %%xmm14, 224(%0)\n\tmovups %%xmm15, 240(%0)\n\t"
        :
        : "r"(here.xmm.data())
        : "memory");
    return here;
}

inline FloatRegisters float_registers_from(const ucontext_t& context) {
    FloatRegisters registers;
    if (const auto* state = context.uc_mcontext.fpregs; state != nullptr) {
        registers.mxcsr = state->mxcsr;
        registers.x87_control = state->cwd;
        std::memcpy(registers.xmm.data(), state->_xmm, sizeof(registers.xmm));
    }
    return registers;
}

// In a loop that waits for another processor.
inline void pause() {
    __builtin_ia32_pause();
}

}  // namespace kymo::unwind::x86_64
