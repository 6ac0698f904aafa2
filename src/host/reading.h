// All cells segments of this user's programs on this host, read at one time.
//
// Costs some 10 µs per process; the programs are not disturbed. Segments come and go: one that cannot be read is
// counted and is not an error.
#pragma once

#include "cells/reader/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kymo::host {

struct Reading {
    std::uint64_t time = 0;  // CLOCK_MONOTONIC, ns; 0: nothing has been read yet
    std::vector<cells::Snapshot> processes;
    std::size_t unreadable = 0;
    std::uint32_t reader = 0;  // process id of the reading process; 0: not known
};

Reading read_host();

}  // namespace kymo::host
