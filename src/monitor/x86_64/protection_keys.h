// x86-64: protection keys for user pages (pkeys(7)).
#pragma once

#include <cpuid.h>

namespace kymo::monitor::x86_64 {

// Whether the processor has them and the kernel has enabled them: then RDPKRU and WRPKRU may be executed.
inline bool has_protection_keys() {
    constexpr unsigned kExtendedFeatures = 7;
    constexpr unsigned kOsPke = 1U << 4U;  // of ecx (Intel SDM, volume 2A, CPUID)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(kExtendedFeatures, 0, &a, &b, &c, &d) != 0 && (c & kOsPke) != 0;
}

}  // namespace kymo::monitor::x86_64
