// Build ids as perf lists them after a run, and in records of files that were piped.
#pragma once

#include "import/perf/bytes.h"
#include "import/perf/facts.h"
#include "import/perf/origins.h"

#include <optional>

namespace kymo::import::perf {

// Of one entry, by its bytes after the header; empty: cut off, or no id.
std::optional<BuildId> read_build_id(const RecordHeader& header, Bytes from);

}  // namespace kymo::import::perf
