// aarch64: what base/native.h lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <sys/auxv.h>

namespace kymo::aarch64 {

inline constexpr std::uint16_t kMachine = EM_AARCH64;
inline constexpr const char* kGlibcLoader = "/lib/ld-linux-aarch64.so.1";
inline constexpr const char* kSharedClock = "__kernel_clock_gettime";
inline constexpr unsigned kTimersAtReturnSince = ~0U;

// CNTVCT_EL0, constant by architecture.
inline bool has_constant_counter() {
    return true;
}

inline std::uint64_t read_counter() {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

inline void add(std::uint64_t& cell, std::uint64_t by) {
    __atomic_fetch_add(&cell, by, __ATOMIC_RELAXED);
}

// Not visible to programs; the device tree may have it.
inline bool is_virtual() {
    return false;
}

inline bool has_crc32c() {
    constexpr unsigned long kCrc32 = 1UL << 7U;  // HWCAP_CRC32
    return (getauxval(AT_HWCAP) & kCrc32) != 0;
}

__attribute__((target("+crc"))) inline std::uint32_t crc32c_words(std::uint32_t crc, const std::uint8_t* words,
                                                                  std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, words + 8 * i, 8);
        crc = __builtin_aarch64_crc32cx(crc, word);
    }
    return crc;
}

}  // namespace kymo::aarch64
