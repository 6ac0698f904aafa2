// A recording's files, read: two passes over each.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/load/file_data.h"
#include "team/team.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct LoadOptions {
    // Processes that read the files together: each its own (by file: the process). All get all. Borrowed.
    team::Team* team = nullptr;
    std::span<const std::uint32_t> owner = {};
    std::size_t most_states = std::size_t{1} << 24U;  // intervals kept of all streams together (ThreadStates)
};

// The first pass over several files, in parallel. What is returned is parallel to `files`. Error: the system cannot
// read that file; whatever is in it is not an error.
std::vector<Result<FileData>> describe_files(std::span<const recording::File> files);
// The second pass, with what the first one read; switch records of one file are for the streams of all. Parallel;
// what is returned is parallel to `files`, and then come the processes that share one. Errors: as describe_files().
std::vector<Result<FileData>> load_samples(std::span<const recording::File> files,
                                           std::vector<Result<FileData>> described, const LoadOptions& options = {});
// Both passes.
std::vector<Result<FileData>> load_files(std::span<const recording::File> files, const LoadOptions& options = {});
Result<FileData> load_file(const recording::File& file);

}  // namespace kymo::spacetime
