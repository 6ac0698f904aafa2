#include "hooks/guest/problem.h"

namespace kymo::hooks {

const char* describe(Problem problem) {
    switch (problem) {
        case Problem::kBadPlan:
            return "the plan of its hooks is damaged";
        case Problem::kNoMemory:
            return "no memory for its hooks";
        case Problem::kNoCode:
            return "code may not be changed in this process";
        case Problem::kNoRoom:
            return "no free addresses near it for its hooks";
        case Problem::kOtherCode:
            return "its code in memory is not that of its file";
        case Problem::kShadowStack:
            return "the processor checks return addresses in this process (shadow stack)";
        case Problem::kNoLoading:
            return "images that are loaded later are not noticed by this dynamic linker";
        case Problem::kNoReads:
            return "the kernel refuses to read what the program's pointers lead to (process_vm_readv): conditions on "
                   "it never hold";
        case Problem::kNoLater:
            return "it was loaded later, and has no initializer to be led past: its calls through its linkage table "
                   "are not seen";
        case Problem::kNone:
            break;
    }
    return "";
}

}  // namespace kymo::hooks
