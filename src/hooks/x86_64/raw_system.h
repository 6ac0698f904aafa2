// System calls made without the C library: hooked functions may be the C library's own, and a hook must not run
// one. Results are the kernel's: -errno on failure. errno is not touched.
#pragma once

#include <cstdint>

namespace kymo::hooks {

inline long raw_system(long number, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0,
                       std::uint64_t d = 0, std::uint64_t e = 0, std::uint64_t f = 0) {
    long result = 0;
    register std::uint64_t r10 asm("r10") = d;
    register std::uint64_t r8 asm("r8") = e;
    register std::uint64_t r9 asm("r9") = f;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

}  // namespace kymo::hooks
