// Kinds of channels, and the directions that represent them in a channel's key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo {

// What a channel is made of. MPI's and the service ring's have directions of their own (docs/cells-format.md); the
// rest are ends of descriptors or declared, whose direction is kFirstEnd + 2 × (kind − kPipe), and one more where the
// end receives.
enum class ChannelKind : std::uint8_t {
    kMpi,
    kService,
    kPipe,
    kFifo,
    kUnix,
    kTcp,
    kTcpLoopback,
    kUdp,
    kUdpLoopback,
    kDeclared,
    kDeclaredShared,  // between processes
};
inline constexpr std::uint64_t kFirstEnd = 8;  // direction; below it MPI's, 6 and 7 the ring's
inline constexpr std::uint64_t kEndDirections =
    kFirstEnd + 2 * (static_cast<std::uint64_t>(ChannelKind::kDeclaredShared) -
                     static_cast<std::uint64_t>(ChannelKind::kPipe) + 1);

constexpr std::uint64_t end_direction(ChannelKind kind, bool receives) {
    return kFirstEnd + 2 * (static_cast<std::uint64_t>(kind) - static_cast<std::uint64_t>(ChannelKind::kPipe)) +
           (receives ? 1U : 0U);
}
constexpr bool is_end_direction(std::uint64_t direction) {
    return direction >= kFirstEnd && direction < kEndDirections;
}
constexpr bool receives(std::uint64_t end_direction) {
    return (end_direction & 1U) != 0;
}
constexpr ChannelKind channel_kind(std::uint64_t direction) {
    return is_end_direction(direction)        ? static_cast<ChannelKind>((direction - kFirstEnd) / 2 +
                                                                         static_cast<std::uint64_t>(ChannelKind::kPipe))
           : direction == 6 || direction == 7 ? ChannelKind::kService
                                              : ChannelKind::kMpi;
}
constexpr std::string_view name_of(ChannelKind kind) {
    constexpr std::string_view kNames[] = {"mpi",          "service", "pipe",         "fifo",     "unix",    "tcp",
                                           "tcp-loopback", "udp",     "udp-loopback", "declared", "declared"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace kymo
