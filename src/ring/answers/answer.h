// This host's cells as the answer to a request of the service ring: one record for each entry of the request.
//
// A pure function of the reading. The objects are tasks, processors and channels that exist or have ended. For
// counters, the sum of the rows that have been reused is added, so that totals never decrease. A missing cell, or
// a row that kept changing while it was read, is an object with an unknown value. The numbers of the lowest levels
// are local to this host; a host's number is its slot. Costs one pass over the rows per entry.
#pragma once

#include "ring/answers/asked_cell.h"
#include "ring/protocol/layout.h"
#include "ring/protocol/record.h"

#include <span>

namespace kymo::ring {

void answer(const host::Reading& reading, Slot slot, std::span<const Entry> entries, std::span<Record> records);

}  // namespace kymo::ring
