// The layout of an mbarrier in eight bytes of shared memory. PTX leaves the layout open; this one is ours.
//
// A phase ends when no arrivals are pending and no bytes are in flight: then the expected count becomes pending
// again and the phase bit changes. The token that an arrival returns is the word before it.
//
// Contract: constants alone (warp.h gives the reason).
#pragma once

#include <cstdint>

namespace kymo::gpu::ptx {

inline constexpr unsigned kPendingBits = 20;  // from bit 0 on: arrivals that the phase still waits for
inline constexpr unsigned kExpectedAt = 20;   // as many bits: those of the next phase
inline constexpr unsigned kUnderwayAt = 40;   // bytes that copies have still to bring; signed
inline constexpr unsigned kUnderwayBits = 21;
inline constexpr unsigned kObjectMark = 61;    // set: a barrier was made here,
inline constexpr unsigned kNoObjectMark = 62;  // and not set
inline constexpr unsigned kPhaseBit = 63;
inline constexpr std::uint32_t kMostArrivals = (1U << kPendingBits) - 1;

}  // namespace kymo::gpu::ptx
