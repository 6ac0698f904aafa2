// A recording's files, read: both passes over each.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/load/file_data.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct LoadOptions {
    std::size_t most_states = std::size_t{1} << 24U;  // intervals kept of all streams together (ThreadStates)
};

// Both passes over several files; switch records of one are for the streams of all. Parallel; what is returned is
// parallel to `files`, and then come the processes that share one. Error: the system cannot read that file; whatever
// is in it is not an error.
std::vector<Result<FileData>> load_files(std::span<const recording::File> files, const LoadOptions& options = {});
Result<FileData> load_file(const recording::File& file);

}  // namespace kymo::spacetime
