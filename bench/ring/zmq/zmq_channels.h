// The service channels over libzmq: what ours are held against, for speed (bench/ring_round_trips) and for what they
// say on the wire (tests/unit/ring/zmq_test.cpp).
//
// A member listens with one PULL socket and has a PUSH socket for each member it sends to. With keys, connections are
// CURVE's, and a ZAP handler lets in only who has the job's own public key, that is also its secret one. libzmq ends
// the process where its inner rules are broken, and has two threads of its own a member.
#pragma once

#include "ring/transport/channels.h"

#include <memory>

namespace kymo::ring {

// Throws zmq::error_t.
std::unique_ptr<Channels> open_zmq_channels(const ChannelSettings& settings);

}  // namespace kymo::ring
