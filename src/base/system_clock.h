// The system's clock, past whatever stands in its place.
//
// clock_gettime() may be another library's: libfaketime shows a program another time, and would show it to Kymo,
// whose times must agree with the kernel's records. The kernel's own function lies in a page that it maps into every
// process (vdso(7)); it is what the C library calls, too.
#pragma once

#include "base/time.h"

#include <cstdint>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

namespace kymo {

namespace detail {

inline bool is_same(const char* a, const char* b) {
    while (*a == *b && *a != 0) {
        ++a;
        ++b;
    }
    return *a == *b;
}

// The address of a function in an image whose first byte, the ELF header's, is at `begin`; 0: it has none of that
// name.
inline std::uint64_t find_function(std::uint64_t begin, const char* name) {
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(begin);
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(begin + header->e_phoff);
    const ElfW(Dyn)* dynamic = nullptr;
    std::uint64_t bias = 0;
    bool is_loaded = false;
    for (unsigned i = 0; i < header->e_phnum; ++i) {
        if (segments[i].p_type == PT_LOAD && !is_loaded) {
            bias = begin + segments[i].p_offset - segments[i].p_vaddr;
            is_loaded = true;
        } else if (segments[i].p_type == PT_DYNAMIC) {
            dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin + segments[i].p_offset);
        }
    }
    const ElfW(Sym)* symbols = nullptr;
    const char* strings = nullptr;
    const std::uint32_t* hash = nullptr;
    const std::uint32_t* gnu_hash = nullptr;
    for (; is_loaded && dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
        const std::uint64_t address = bias + dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
            case DT_SYMTAB:
                symbols = reinterpret_cast<const ElfW(Sym)*>(address);
                break;
            case DT_STRTAB:
                strings = reinterpret_cast<const char*>(address);
                break;
            case DT_HASH:
                hash = reinterpret_cast<const std::uint32_t*>(address);
                break;
            case DT_GNU_HASH:
                gnu_hash = reinterpret_cast<const std::uint32_t*>(address);
                break;
            default:
                break;
        }
    }
    if (symbols == nullptr || strings == nullptr || (hash == nullptr && gnu_hash == nullptr)) {
        return 0;
    }
    // How many symbols there are, only the hash tables tell: a dozen, so that none need be hashed.
    std::uint32_t count = 0;
    if (hash != nullptr) {
        count = hash[1];
    } else {
        const std::uint32_t buckets = gnu_hash[0];
        const std::uint32_t first = gnu_hash[1];
        const std::uint32_t* bucket = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / 4);
        for (std::uint32_t i = 0; i < buckets; ++i) {
            count = bucket[i] > count ? bucket[i] : count;
        }
        const std::uint32_t* chain = bucket + buckets;
        while (count >= first && count != 0 && (chain[count - first] & 1U) == 0) {
            ++count;
        }
        ++count;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool is_function = (symbols[i].st_info & 0xFU) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF;
        if (is_function && is_same(strings + symbols[i].st_name, name)) {
            return bias + symbols[i].st_value;
        }
    }
    return 0;
}

}  // namespace detail

// From now on read_clock() asks the system. Once, before there are threads that ask. Where the kernel has no such
// page nothing changes.
inline void use_system_clock() {
#if defined(__x86_64__)
    constexpr const char* kName = "__vdso_clock_gettime";
#else
    constexpr const char* kName = "__kernel_clock_gettime";
#endif
    if (const std::uint64_t page = getauxval(AT_SYSINFO_EHDR); page != 0) {
        if (const std::uint64_t function = detail::find_function(page, kName); function != 0) {
            clock_function = reinterpret_cast<ClockFunction>(function);
        }
    }
}

}  // namespace kymo
