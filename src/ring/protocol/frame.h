// Frames as bytes, and what may be wrong with them.
//
// open_prefix() is the first look at bytes from elsewhere: nothing is read beyond them, whatever they say. Which of a
// frame's figures may be believed is then the business of Token and open_heartbeat().
#pragma once

#include "ring/protocol/layout.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::ring {

using Bytes = std::vector<std::uint8_t>;

// Why a frame is not used. All are counted, none ends anything.
enum class Refusal : std::uint8_t {
    kNone,
    kTruncated,  // fewer bytes than it says
    kOversized,  // more than it says, or than any frame may have
    kForeign,    // no frame of ours, or of another job
    kNewer,      // a later major version
    kMalformed,  // figures that cannot be
    kStale,      // of an earlier manager, or of before what is in flight
    kRepeated,   // had it already
    kMisrouted,  // not for this member
};
inline constexpr std::size_t kRefusals = 9;

std::string_view name_of(Refusal refusal);

Refusal open_prefix(std::span<const std::uint8_t> frame, Prefix& prefix);

Prefix make_prefix(FrameKind kind, std::size_t bytes, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch);

// A heartbeat, a farewell or a probe.
Refusal open_heartbeat(std::span<const std::uint8_t> frame, Prefix& prefix, Heartbeat& heartbeat);
Bytes make_heartbeat(FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch,
                     const Heartbeat& heartbeat);

}  // namespace kymo::ring
