// Who is at the other end of a host's channels: of pipes, sockets and declared ones, whose rows tell of one end each.
#pragma once

#include "ring/live/live_channel.h"

#include <vector>

namespace kymo::ring {

// Sets LiveChannel::other of those, by the rows of the other end: "wc 124", "several", or, where nobody counts there,
// what the end leads to. Ends of processes alone: threads are together.
void find_other_ends(std::vector<LiveChannel>& channels);

}  // namespace kymo::ring
