// What agents and managers do alike to get into the ring: options, folder, channels.
#pragma once

#include "cli/verbs.h"
#include "ring/transport/library.h"
#include "ring/transport/rendezvous.h"

#include <memory>
#include <string>

namespace kymo::cli {

struct RingOptions {
    std::string folder;
    std::string address;  // empty: the host's first that is not the loopback's
    bool plain = false;
    double heartbeat = 2;  // of a new job
};

void add_ring_options(CLI::App& app, RingOptions& options);

struct Meeting {
    ring::Rendezvous rendezvous;
    std::unique_ptr<ring::Channels> channels;
};

Result<Meeting> meet(const RingOptions& options);

}  // namespace kymo::cli
