// The options of agents and managers that enter the ring.
#pragma once

#include "cli/verbs.h"
#include "ring/meeting/meeting.h"

namespace kymo::cli {

void add_ring_options(CLI::App& app, ring::MeetingOptions& options);

}  // namespace kymo::cli
