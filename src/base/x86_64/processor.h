// x86-64: what base/native.h lists.
#pragma once

#include <cpuid.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>

namespace kymo::x86_64 {

inline constexpr std::uint16_t kMachine = EM_X86_64;
inline constexpr const char* kGlibcLoader = "/lib64/ld-linux-x86-64.so.2";  // System V ABI, AMD64 supplement
inline constexpr const char* kSharedClock = "__vdso_clock_gettime";
inline constexpr unsigned kTimersAtReturnSince = 5'009;

struct Cpuid {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
};

// All zero where the processor has no such leaf. (Intel SDM, volume 2A, CPUID.)
inline Cpuid cpuid(unsigned leaf) {
    Cpuid answer;
    return __get_cpuid(leaf, &answer.eax, &answer.ebx, &answer.ecx, &answer.edx) != 0 ? answer : Cpuid{};
}

// The time-stamp counter, if the kernel uses it for timekeeping or may (flags constant_tsc and nonstop_tsc).
inline bool has_constant_counter() {
    constexpr unsigned kInvariant = 1U << 8U;
    return (cpuid(0x8000'0007U).edx & kInvariant) != 0;
}

inline std::uint64_t read_counter() {
    return __builtin_ia32_rdtsc();
}

inline void add(std::uint64_t& cell, std::uint64_t by) {
    asm volatile("addq %1, %0" : "+m"(cell) : "er"(by) : "cc");
}

inline bool is_virtual() {
    constexpr unsigned kHypervisor = 1U << 31U;
    return (cpuid(1).ecx & kHypervisor) != 0;
}

inline bool has_crc32c() {
    return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) inline std::uint32_t crc32c_words(std::uint32_t crc, const std::uint8_t* words,
                                                                    std::size_t count) {
    std::uint64_t wide = crc;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, words + 8 * i, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    return static_cast<std::uint32_t>(wide);
}

}  // namespace kymo::x86_64
