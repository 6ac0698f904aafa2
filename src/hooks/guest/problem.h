// Why something cannot be hooked.
#pragma once

#include <cstdint>

namespace kymo::hooks {

enum class Problem : std::uint8_t {
    kNone = 0,
    kBadPlan,      // damaged, or of another version
    kNoMemory,     // the kernel refused it
    kNoCode,       // code must not be made or changed here (SELinux, …)
    kNoRoom,       // no free address space within reach of the image
    kOtherCode,    // the code is not the planned one: the file or the memory has changed
    kShadowStack,  // the processor checks return addresses
    kNoLoading,    // images that are loaded later cannot be noticed
    kNoReads,      // the kernel refuses to read what pointers lead to
    kNoLater,      // nothing in an image that was loaded later allows detecting that its linkage table is filled
                   // in
};
// In words that follow the name of the image or function.
const char* describe(Problem problem);

}  // namespace kymo::hooks
