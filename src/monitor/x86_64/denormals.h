// x86-64: the vector registers of an interrupted thread that hold denormal numbers.
//
// Contract: usable in signal handlers; reads the context alone.
#pragma once

#include <cstdint>
#include <ucontext.h>

namespace kymo::monitor::x86_64 {

// Bit n: register xmm n has a denormal double; bit 32 + n: a denormal float. 0 as well where the thread has never met
// or made one since its flags were cleared (MXCSR: denormal operand, underflow; Intel SDM volume 1, 10.2.3), which is
// the usual case; where they are taken for zero, which costs nothing; and where the kernel has saved no registers.
inline std::uint64_t denormal_registers(const ucontext_t& context) {
    constexpr std::uint32_t kDenormalOrUnderflow = 0x12;
    constexpr std::uint32_t kTakenForZero = 0x40;
    constexpr unsigned kRegisters = 16;
    const auto* const saved = context.uc_mcontext.fpregs;
    if (saved == nullptr || (saved->mxcsr & kTakenForZero) != 0 || (saved->mxcsr & kDenormalOrUnderflow) == 0) {
        return 0;
    }
    const auto is_double = [](std::uint64_t bits) { return (bits >> 52U & 0x7ffU) == 0 && (bits << 12U) != 0; };
    const auto is_float = [](std::uint32_t bits) { return (bits >> 23U & 0xffU) == 0 && (bits << 9U) != 0; };
    std::uint64_t result = 0;
    for (unsigned i = 0; i < kRegisters; ++i) {
        const std::uint32_t* const part = saved->_xmm[i].element;
        const std::uint64_t low = part[0] | std::uint64_t{part[1]} << 32U;
        const std::uint64_t high = part[2] | std::uint64_t{part[3]} << 32U;
        result |= is_double(low) || is_double(high) ? std::uint64_t{1} << i : 0;
        result |= is_float(part[0]) || is_float(part[1]) || is_float(part[2]) || is_float(part[3])
                      ? std::uint64_t{1} << (32U + i)
                      : 0;
    }
    return result;
}

}  // namespace kymo::monitor::x86_64
