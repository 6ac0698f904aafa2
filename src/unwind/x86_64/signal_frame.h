// x86-64: the frame that the kernel puts on the stack for a signal handler, recognised by the code that the
// handler returns to. That code is whatever the handler was installed with (SA_RESTORER): its rules may be
// missing, or be those of an ordinary function. Debuggers and run-time libraries recognise it by its bytes, too.
//
// Contract: reads the stack through the view only; usable in signal handlers.
#pragma once

#include "unwind/memory_view.h"
#include "unwind/x86_64/context.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace kymo::unwind::x86_64 {

inline constexpr std::size_t kLongestSignalReturn = 9;  // bytes

// By an ordinary function's rule the caller of that code would be the frame's first word: uc_flags, of which the
// kernel defines these bits (its arch/x86/include/uapi/asm/ucontext.h).
inline constexpr std::uint64_t kMostSignalFlags = 7;

// Whether these instructions are rt_sigreturn (15) and nothing else: mov $15, %rax or %eax; syscall.
inline bool is_signal_return(std::span<const std::uint8_t> code) {
    constexpr std::uint8_t kLong[] = {0x48, 0xC7, 0xC0, 15, 0, 0, 0, 0x0F, 0x05};
    constexpr std::uint8_t kShort[] = {0xB8, 15, 0, 0, 0, 0x0F, 0x05};
    const auto begins_with = [code](std::span<const std::uint8_t> bytes) {
        return code.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), code.begin());
    };
    return begins_with(kLong) || begins_with(kShort);
}

// The interrupted registers; `frame`: the stack pointer at that code, where a ucontext_t is. False: outside the
// view.
inline bool registers_from_frame(std::uint64_t frame, const MemoryView& stack, Registers* registers) {
    const auto read = [&](int number, std::uint64_t* value) {
        return stack.read(frame + kContextRegisters + std::uint64_t{8} * static_cast<unsigned>(number), value);
    };
    bool is_there = read(kPcInContext, &registers->pc);
    for (unsigned i = 0; i < kGeneralRegisters; ++i) {
        is_there = is_there && read(kInContext[i], &registers->general[i]);
    }
    return is_there;
}

}  // namespace kymo::unwind::x86_64
