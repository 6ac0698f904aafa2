// x86-64: the shadow stack (control-flow enforcement), which contradicts the return addresses that a hook changes.
#pragma once

#include "hooks/x86_64/raw_system.h"

#include <sys/syscall.h>

namespace kymo::hooks {

// Whether the calling thread has one.
inline bool has_shadow_stack() {
    constexpr std::uint64_t kStatus = 0x5005;  // ARCH_SHSTK_STATUS
    std::uint64_t features = 0;
    return raw_system(SYS_arch_prctl, kStatus, reinterpret_cast<std::uint64_t>(&features)) == 0 &&
           (features & 1U) != 0;
}

}  // namespace kymo::hooks
