// What one warp's memory instruction touches: 32-byte sectors grouped by 128-byte line, exactly, each once.
//
// Contract: pure. Addresses are bytes; an access that crosses a sector's end touches both sectors.
// Cost: about 5 ns for unit stride, 40–150 ns for scattered lanes.
#pragma once

#include "gpu/trace/warp_code.h"

#include <array>
#include <cstdint>
#include <span>

namespace kymo::gpu {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kLineBytes = 128;

struct LineAccess {
    std::uint64_t line;    // address / 128
    std::uint8_t sectors;  // bit i: sector i
    std::uint8_t lanes;    // that touch the line
};

struct Footprint {
    std::array<LineAccess, 2 * kWarpLanes> lines;  // uninitialised, as LaneAddresses
    unsigned count = 0;
    unsigned sectors = 0;
    unsigned most_at_one_place = 0;  // sectors at the same place of different lines
    std::span<const LineAccess> all() const { return {lines.data(), count}; }
};

// The sectors of the lanes in `mask`, `bytes` each. Lines come in order of first touch.
void coalesce(const LaneAddresses& addresses, std::uint32_t mask, unsigned bytes, Footprint& out);

// The fewest sectors that `lanes` accesses of `bytes` could have touched.
constexpr unsigned ideal_sectors(unsigned lanes, unsigned bytes) {
    return (lanes * bytes + kSectorBytes - 1) / kSectorBytes;
}

// Local memory: the n-th words of all lanes are adjacent, so that equal local addresses are in one line of the
// warp. `warp` distinguishes warps.
void interleave_local(LaneAddresses& addresses, std::uint32_t mask, std::uint64_t warp);

}  // namespace kymo::gpu
