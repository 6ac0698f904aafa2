// Which memory a generic address refers to: a window of the address space is shared memory, another local memory,
// the rest global. Traces state where the windows begin.
#pragma once

#include "gpu/trace/kernel.h"

#include <cstdint>

namespace kymo::gpu {

// `space` of the opcode, `first` the address of the first active lane.
inline Space resolved(const KernelHeader& header, Space space, std::uint64_t first) {
    constexpr std::uint64_t kWindow = 1U << 24U;
    if (space != Space::kGeneric) {
        return space;
    }
    return header.shared_base != 0 && first - header.shared_base < kWindow ? Space::kShared
           : header.local_base != 0 && first - header.local_base < kWindow ? Space::kLocal
                                                                           : Space::kGlobal;
}

}  // namespace kymo::gpu
