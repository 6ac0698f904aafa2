// What this host's cells say to a request of the service ring: a record for each of its entries.
//
// A pure function of the reading. Objects are tasks, processors and channels that are there or have ended; of
// counters the sum of those whose rows are used again is added, so that totals never go down. A cell that is not
// there, or a row that kept changing while it was read, is an object whose value is not known. The lowest levels'
// numbers are this host's own; a host's number is its slot. Costs a pass over the rows for each entry.
#pragma once

#include "ring/live/asked_cell.h"
#include "ring/protocol/layout.h"
#include "ring/protocol/record.h"

#include <span>

namespace kymo::ring {

void answer(const HostReading& reading, Slot slot, std::span<const Entry> entries, std::span<Record> records);

}  // namespace kymo::ring
