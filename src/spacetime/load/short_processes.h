// Processes that share a file, a row each (recording/tables/run.h, ShortProcess).
#pragma once

#include "recording/tables.h"
#include "spacetime/load/file_data.h"

#include <vector>

namespace kymo::spacetime {

// The process of a row as if it had a file of its own, with one stream and no samples. `shared`: the file that has
// the row; its events are the process's.
FileData file_of(const recording::ShortProcess& row, const FileData& shared);

// Without samples, processor time counts as user time up to a period. Of such a process the kernel's split
// (getrusage) is known, and more of it may be the system's: by ticks on some kernels, so right of many processes
// rather than of each.
void split_by_usage(FileData* process);

}  // namespace kymo::spacetime
