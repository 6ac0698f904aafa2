// The service channels over TCP, without threads of their own.
//
// A member listens at one socket and connects to each member that it sends to; every connection is a CurveLink. All
// of it happens in the caller's thread: a frame that comes in wakes one thread once, and one that goes out is given
// to the kernel at once. (Over libzmq, whose sockets have a thread of their own at either end, a hop is three
// wake-ups: docs/measurements.md has the figures.) Bounded: so many connections that have not proved who they are, so
// many frames that wait for a channel, so many bytes that the kernel does not take.
#pragma once

#include "ring/transport/channels.h"

#include <string>

namespace kymo::ring {

// The caller's; null, with why: the address cannot be listened at, or the keys are none. sodium_init() comes before.
Channels* open_curve_channels(const ChannelSettings& settings, std::string& why);

}  // namespace kymo::ring
