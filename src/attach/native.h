// The processor whose registers are asked for: the one place that names it.
#pragma once

#include <cstdint>

namespace kymo::attach::native {

// All general registers with the program counter and the stack pointer (asm/perf_regs.h).
#if defined(__x86_64__)
inline constexpr std::uint64_t kRegisterMask = 0xff'01ff;
#elif defined(__aarch64__)
inline constexpr std::uint64_t kRegisterMask = 0x1'ffff'ffff;
#endif

}  // namespace kymo::attach::native
