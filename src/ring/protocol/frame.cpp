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

Refusal open_beat(std::span<const std::uint8_t> frame, Prefix& prefix, Beat& beat) {
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refusal;
    }
    if (prefix.kind != FrameKind::kBeat && prefix.kind != FrameKind::kFarewell && prefix.kind != FrameKind::kProbe) {
        return Refusal::kMalformed;
    }
    if (frame.size() < kBeatBytes) {
        return Refusal::kTruncated;
    }
    if (frame.size() > kBeatBytes) {
        return Refusal::kOversized;
    }
    std::memcpy(&beat, frame.data() + sizeof prefix, sizeof beat);
    const bool slot_is_good = beat.slot < kMaxSlots || (beat.slot == kManager && prefix.kind == FrameKind::kProbe);
    const bool span_is_good =
        beat.sequence == 0 ? beat.first == 0 && beat.end == 0 : beat.first < beat.end && beat.end <= prefix.slots;
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

Bytes make_beat(FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const Beat& beat) {
    const Prefix prefix = make_prefix(kind, kBeatBytes, slots, job, epoch);
    Bytes frame(kBeatBytes);
    std::memcpy(frame.data(), &prefix, sizeof prefix);
    std::memcpy(frame.data() + sizeof prefix, &beat, sizeof beat);
    return frame;
}

}  // namespace kymo::ring
