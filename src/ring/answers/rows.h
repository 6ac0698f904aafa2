// The rows of this host for a detail query (docs/ring-protocol.md, "Detail queries and rows").
//
// A pure function of the reading. It follows the same rules as the figures of tokens (answer.h), so that in one
// reading the values of all threads add up to those of their processes, and these to the host's. Costs one pass
// over the rows per table, plus sorting.
#pragma once

#include "host/reading.h"
#include "ring/protocol/detail_query.h"

#include <span>

namespace kymo::ring {

// One table for each requested one, cut to the requested number of rows. Fills in all but the head.
Rows tell_rows(const host::Reading& reading, std::span<const AskedTable> tables);

}  // namespace kymo::ring
