// The image that the dynamic linker has at a process address, with any version of glibc.
//
// Contract: usable in signal handlers: no locks, no malloc; errno is kept.
#pragma once

#include <cstdint>
#include <link.h>

namespace kymo::image {

struct LinkedObject {
    // From the first byte's page to behind the last byte; of a program with room between its segments: one of
    // them.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const link_map* map = nullptr;  // the linker's name for it; missing for some in glibc
};

// False: no image there. With glibc ≥ 2.35 it calls _dl_find_object, which takes no lock: tens of nanoseconds.
// Before, find_in_list.
bool find_linked_object(std::uint64_t address, LinkedObject* found);

// By the dynamic linker's list for debuggers, which another thread may be changing: the kernel copies each entry,
// so that a removed one is not found, and nothing faults. About half a microsecond an image. Images of dlmopen's
// other namespaces are not in that list; images whose ELF header is not at their beginning are not found.
bool find_in_list(std::uint64_t address, LinkedObject* found);

}  // namespace kymo::image
