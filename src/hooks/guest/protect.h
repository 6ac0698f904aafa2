// The access rights of a range of our own memory.
#pragma once

#include "hooks/native.h"
#include "image/loaded_image.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace kymo::hooks {

// Of all pages that the range touches. False: the kernel refuses. Usable in handlers.
inline bool protect(image::Range range, int rights) {
    constexpr std::uint64_t kPage = 4096;
    const std::uint64_t begin = range.begin & ~(kPage - 1);
    const std::uint64_t end = (range.end + kPage - 1) & ~(kPage - 1);
    return raw_system(SYS_mprotect, begin, end - begin, static_cast<std::uint64_t>(rights)) == 0;
}

}  // namespace kymo::hooks
