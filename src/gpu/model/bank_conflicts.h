// Shared memory has 32 banks of 4-byte words. A warp's access takes as many passes as the busiest bank has
// different words to deliver; lanes that read the same word share it. Accesses of 8 bytes proceed by half warps,
// of 16 by quarter warps.
#pragma once

#include "gpu/trace/warp_code.h"

namespace kymo::gpu {

// Passes of one access; 0 for an empty mask. The fewest possible is 1, 2 or 4 by width. Cost: about 40 ns, 3 ns for
// unit stride.
unsigned shared_passes(const LaneAddresses& addresses, std::uint32_t mask, unsigned bytes);

// Number of lanes that hit the busiest word: atomics on it are serialised.
unsigned most_on_one_word(const LaneAddresses& addresses, std::uint32_t mask);

constexpr unsigned fewest_passes(unsigned bytes) {
    return bytes <= 4 ? 1 : bytes / 4;
}

}  // namespace kymo::gpu
