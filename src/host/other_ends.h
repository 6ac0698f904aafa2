// Finds the other ends of a host's pipes, sockets and declared channels; each of their rows describes one end
// only.
#pragma once

#include "host/live_channel.h"

#include <vector>

namespace kymo::host {

// Sets LiveChannel::other from the rows of the other end: "wc 124", "several", or, if no process counts there,
// what the end leads to. Names processes only: the threads of a process are one end.
void find_other_ends(std::vector<LiveChannel>& channels);

}  // namespace kymo::host
