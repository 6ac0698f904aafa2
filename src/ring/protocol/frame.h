// Frames as bytes, and the reasons to refuse them.
//
// open_prefix() checks bytes from elsewhere first: it reads nothing beyond them, whatever sizes they claim. Token
// and open_heartbeat() then check the other figures of a frame.
#pragma once

#include "ring/protocol/layout.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::ring {

using Bytes = std::vector<std::uint8_t>;

// Why a frame is not used. Each refusal is counted; none ends anything.
enum class Refusal : std::uint8_t {
    kNone,
    kTruncated,  // shorter than the size it claims
    kOversized,  // longer than the size it claims, or than any frame may be
    kForeign,    // not a frame of the ring, or of another job
    kNewer,      // a later major version
    kMalformed,  // impossible figures
    kStale,      // of an earlier manager, or older than what is in flight
    kRepeated,   // received already
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
