#include "ring/protocol/frame.h"

#include <cstring>

namespace kymo::ring {

std::string_view name_of(Refusal refusal) {
    constexpr std::string_view kNames[kRefusals] = {"none",      "truncated", "oversized", "foreign",  "newer",
                                                    "malformed", "stale",     "repeated",  "misrouted"};
    return kNames[static_cast<std::size_t>(refusal)];
}

Refusal open_prefix(std::span<const std::uint8_t> frame, Prefix& prefix) {
    if (frame.size() > kMaxFrameBytes) {
        return Refusal::kOversized;
    }
    if (frame.size() < sizeof prefix) {
        return Refusal::kTruncated;
    }
    std::memcpy(&prefix, frame.data(), sizeof prefix);
    if (std::memcmp(prefix.magic, kMagic, sizeof kMagic) != 0) {
        return Refusal::kForeign;
    }
    if (prefix.major > kMajorVersion) {
        return Refusal::kNewer;
    }
    if (prefix.bytes != frame.size()) {
        return prefix.bytes > frame.size() ? Refusal::kTruncated : Refusal::kOversized;
    }
    return prefix.major == 0 || prefix.slots > kMaxSlots ? Refusal::kMalformed : Refusal::kNone;
}

Refusal open_heartbeat(std::span<const std::uint8_t> frame, Prefix& prefix, Heartbeat& heartbeat) {
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refusal;
    }
    if (prefix.kind != FrameKind::kHeartbeat && prefix.kind != FrameKind::kFarewell &&
        prefix.kind != FrameKind::kProbe) {
        return Refusal::kMalformed;
    }
    if (frame.size() < kHeartbeatBytes) {
        return Refusal::kTruncated;
    }
    if (frame.size() > kHeartbeatBytes) {
        return Refusal::kOversized;
    }
    std::memcpy(&heartbeat, frame.data() + sizeof prefix, sizeof heartbeat);
    const bool slot_is_good =
        heartbeat.slot < kMaxSlots || (heartbeat.slot == kManager && prefix.kind != FrameKind::kFarewell);
    const bool span_is_good = heartbeat.sequence == 0
                                  ? heartbeat.first == 0 && heartbeat.end == 0
                                  : heartbeat.first < heartbeat.end && heartbeat.end <= prefix.slots;
    return slot_is_good && span_is_good ? Refusal::kNone : Refusal::kMalformed;
}

Prefix make_prefix(FrameKind kind, std::size_t bytes, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch) {
    return {.magic = {kMagic[0], kMagic[1], kMagic[2], kMagic[3]},
            .major = kMajorVersion,
            .minor = kMinorVersion,
            .kind = kind,
            .reserved = 0,
            .bytes = static_cast<std::uint32_t>(bytes),
            .slots = slots,
            .job = job,
            .epoch = epoch};
}

Bytes make_heartbeat(FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch,
                     const Heartbeat& heartbeat) {
    const Prefix prefix = make_prefix(kind, kHeartbeatBytes, slots, job, epoch);
    Bytes frame(kHeartbeatBytes);
    std::memcpy(frame.data(), &prefix, sizeof prefix);
    std::memcpy(frame.data() + sizeof prefix, &heartbeat, sizeof heartbeat);
    return frame;
}

}  // namespace kymo::ring
