// x86-64: a system call interrupted by a signal: over, or wound back by the kernel, to be made again when the
// handler returns.
//
// Contract: usable in signal handlers; reads and writes the context alone.
#pragma once

#include <cerrno>
#include <ucontext.h>

namespace kymo::monitor::x86_64 {

// Whether the interrupted thread is about to restart a system call: it is at the instruction, which has left the
// address behind it in rcx, and the flags in r11, when it was executed. (Code that makes the same call in a loop
// may look the same the first time as well. On processors that deliver events by FRED these registers are kept,
// and no call is found.)
inline bool is_about_to_call_again(const ucontext_t& context) {
    constexpr greg_t kInstruction = 2;  // bytes
    const greg_t* const registers = context.uc_mcontext.gregs;
    return registers[REG_RCX] == registers[REG_RIP] + kInstruction && registers[REG_R11] == registers[REG_EFL];
}

// Whether the interrupted thread is behind the instruction of a system call that has just returned.
inline bool is_back_from_call(const ucontext_t& context) {
    const greg_t* const registers = context.uc_mcontext.gregs;
    return registers[REG_RCX] == registers[REG_RIP] && registers[REG_R11] == registers[REG_EFL];
}

// Whether the thread was in a system call when the tick came whose signal has interrupted it here.
inline bool was_in_call(const ucontext_t& context) {
    return is_back_from_call(context) || is_about_to_call_again(context);
}

inline long call_number(const ucontext_t& context) {
    return context.uc_mcontext.gregs[REG_RAX];
}

inline unsigned long second_argument(const ucontext_t& context) {
    return static_cast<unsigned long>(context.uc_mcontext.gregs[REG_RSI]);
}

// The call fails with EINTR when the handler returns, instead of being made again.
inline void fail_as_interrupted(ucontext_t& context) {
    context.uc_mcontext.gregs[REG_RAX] = -EINTR;
    context.uc_mcontext.gregs[REG_RIP] = context.uc_mcontext.gregs[REG_RCX];
}

}  // namespace kymo::monitor::x86_64
