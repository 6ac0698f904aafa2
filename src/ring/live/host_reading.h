// Every cells segment of this user's programs on this host, read at one time.
//
// Costs some 10 µs a process; the programs do not notice. Segments come and go: one that cannot be read is counted,
// not an error.
#pragma once

#include "cells/reader/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kymo::ring {

struct HostReading {
    std::uint64_t time = 0;  // CLOCK_MONOTONIC, ns; 0: nothing was read yet
    std::vector<cells::Snapshot> processes;
    std::size_t unreadable = 0;
    std::uint32_t reader = 0;  // process id of who reads; 0: not told
};

HostReading read_host();

}  // namespace kymo::ring
