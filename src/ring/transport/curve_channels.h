// The service channels over TCP, without threads of their own.
//
// A member listens at one socket and connects to each member that it sends to; every connection is a CurveLink.
// All work is done in the caller's thread: an incoming frame wakes one thread once, and an outgoing one goes to
// the kernel at once. (Over libzmq, whose sockets have a thread at either end, a hop takes three wake-ups:
// docs/measurements.md has the figures.) Bounded: the number of unauthenticated connections, the frames that wait
// for a channel, and the bytes that the kernel does not take.
#pragma once

#include "ring/transport/channels.h"

#include <string>

namespace kymo::ring {

// Owned by the caller. Null, with the reason: the address cannot be listened at, or the keys are invalid. Call
// sodium_init() first.
Channels* open_curve_channels(const ChannelSettings& settings, std::string& why);

}  // namespace kymo::ring
