// Which samples of perf are of memory that an instruction used.
#pragma once

#include "import/perf/attribute.h"
#include "import/perf/records.h"
#include "recording/tables/processor.h"

#include <optional>

namespace kymo::import {

// Without the place of the instruction. None: the sample is of no load or store, or has no address. Addresses of the
// kernel's software events and tracepoints are those of faults and objects, which no instruction need have used.
std::optional<recording::MemoryAccess> memory_access(const perf::Sample& row, const perf::Attribute& event);

}  // namespace kymo::import
