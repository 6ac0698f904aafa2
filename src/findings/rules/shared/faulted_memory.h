// Why memory has to be faulted in: because it was given back and is taken again, or because the program holds it for
// the first time. Only the first can be avoided by keeping it.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <string_view>

namespace kymo::findings {

enum class FaultedMemory : std::uint8_t {
    kUnknown,
    kAgain,  // more than twice what was ever held at once, or the program gives much back to the system
    kOnce,   // each page once, or little more, of memory that is kept
};

// The program faulted in several times as much as it ever held at once: memory that is used once has to be faulted in
// once. Of several processes it is not known how much they held together: false.
bool is_over_and_over(const spacetime::Evidence& evidence);

// Of all the program's memory. Cost: linear in the nodes and the account's rows.
FaultedMemory faulted_memory(const spacetime::Evidence& evidence);

// Most of what the program ever held it touched first by page faults of the usual size, and it is much. False for
// several processes.
bool grows(const spacetime::Evidence& evidence);

// What helps where memory is faulted in once.
inline constexpr std::string_view kKeptMemoryDirection =
    "let the kernel give larger pages: transparent huge pages in the allocator, or madvise(MADV_HUGEPAGE) for what "
    "the program maps itself; or hold less: smaller objects, or only what is used";
inline constexpr std::string_view kKeptMemoryConfirm =
    "with glibc's allocator, set GLIBC_TUNABLES=glibc.malloc.hugetlb=1 in the environment: the page faults must go, "
    "where /sys/kernel/mm/transparent_hugepage/enabled is not `never`";

}  // namespace kymo::findings
