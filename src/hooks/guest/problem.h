// Why something cannot be hooked.
#pragma once

#include <cstdint>

namespace kymo::hooks {

enum class Problem : std::uint8_t {
    kNone = 0,
    kBadPlan,      // damaged, or another version's
    kNoMemory,     // the kernel refused it
    kNoCode,       // code may not be made or changed here (SELinux, …)
    kNoRoom,       // no free address space within reach of the image
    kOtherCode,    // the code is not what was planned: the file or the memory has been changed
    kShadowStack,  // the processor checks return addresses
    kNoLoading,    // images that are loaded later cannot be noticed
    kNoReads,      // the kernel refuses to read what pointers lead to
    kNoLater,      // nothing of an image that was loaded later tells that its linkage table is filled in
};
// In words that follow the name of what has the problem.
const char* describe(Problem problem);

}  // namespace kymo::hooks
