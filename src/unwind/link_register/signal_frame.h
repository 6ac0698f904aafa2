// The frame that Linux puts on the stack for a signal handler, on architectures with a link register: a siginfo_t,
// then a ucontext_t with the registers (the architecture's context.h). The code that the handler returns to
// (usually the vDSO's) is recognised by its bytes, because its rules may be missing, or contain less than the
// frame.
//
// Contract: reads the stack through the view only; usable in signal handlers.
#pragma once

#include "unwind/link_register/registers.h"
#include "unwind/memory_view.h"

#include <cstring>
#include <span>

namespace kymo::unwind::link_register {

inline constexpr std::uint64_t kSignalInfo = 128;  // bytes of the siginfo_t

// Whether the code begins with these instructions.
template <std::size_t kCount>
bool begins_with(std::span<const std::uint8_t> code, const std::array<std::uint32_t, kCount>& instructions) {
    return code.size() >= sizeof(instructions) &&
           std::memcmp(code.data(), instructions.data(), sizeof(instructions)) == 0;
}

// The interrupted registers; `frame`: the stack pointer at the code that the handler returns to. `Context` has the
// offsets of the program counter and of each register in a ucontext_t. False: outside the view.
template <class Context, class Numbers>
bool registers_from_frame(std::uint64_t frame, const MemoryView& stack, Registers<Numbers>* registers) {
    const std::uint64_t context = frame + kSignalInfo;
    bool is_there = stack.read(context + Context::kPc, &registers->pc);
    for (unsigned i = 0; i < kGeneralRegisters; ++i) {
        is_there = is_there && stack.read(context + Context::place_of(i), &registers->general[i]);
    }
    return is_there;
}

}  // namespace kymo::unwind::link_register
