// Loading the ring's transport: libkymo-ring.so, beside the running executable as built or as installed.
#pragma once

#include "base/result.h"
#include "ring/transport/channels.h"

#include <memory>

namespace kymo::ring {

// New keys for a job. kUnsupported: Kymo was built without libsodium.
Result<Keys> make_keys();

// kUnsupported as above; kPermission, kUsage: the address cannot be listened at, or may not without encryption.
Result<std::unique_ptr<Channels>> open_channels(const ChannelSettings& settings);

// Encryption may be omitted only where no other host can listen.
bool is_loopback(const std::string& address);

}  // namespace kymo::ring
