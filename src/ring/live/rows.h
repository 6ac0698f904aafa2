// The rows of this host that a detail query asks for (docs/ring-protocol.md, "Detail queries and rows").
//
// A pure function of the reading. It goes by the same rules as the figures of tokens (answer.h), so that of one
// reading the values of all threads add up to those of their processes, and these to the host's. Costs a pass over
// the rows for each table, and what sorting takes.
#pragma once

#include "ring/live/host_reading.h"
#include "ring/protocol/detail_query.h"

#include <span>

namespace kymo::ring {

// A table for each, cut to the rows that are wanted. All but the head is filled in.
Rows tell_rows(const HostReading& reading, std::span<const AskedTable> tables);

}  // namespace kymo::ring
