// The image that the dynamic linker has at a process address, in whatever glibc runs here.
//
// Contract: usable in signal handlers: no locks, no malloc; errno is kept.
#pragma once

#include <cstdint>
#include <link.h>

namespace kymo::image {

struct LinkedObject {
    // From the first byte's page to behind the last byte; of a program with room between its segments: of one of
    // them.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const link_map* map = nullptr;  // the linker's name for it; glibc leaves it out for some
};

// False: no image there. With glibc ≥ 2.35 it asks _dl_find_object, which takes no lock: tens of nanoseconds. Before,
// it takes find_in_list.
bool find_linked_object(std::uint64_t address, LinkedObject* found);

// By the dynamic linker's list for debuggers, which another thread may be changing: each entry is copied by the
// kernel, so that what is gone meanwhile is not found, and nothing faults. About half a microsecond an image. Images
// of dlmopen's other namespaces are not in that list; images whose ELF header is not where they begin are not found.
bool find_in_list(std::uint64_t address, LinkedObject* found);

}  // namespace kymo::image
