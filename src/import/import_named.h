// Profiles whose frames have names instead of addresses, rewritten as recordings of Kymo.
#pragma once

#include "base/result.h"
#include "import/import.h"

#include <filesystem>

namespace kymo::import {

// As import_perf_data(), of the text of `perf script` or a profile of pprof, by its format. Each module becomes an
// image file in the recording that has its functions' names and no code (named_image.h); sources and lines are left
// out. Frames of the kernel are kept, under its own name.
//
// Time. Samples of cpu-clock or task-clock, and values in seconds or parts of them of an event named cpu, are
// processor time. A profile of sums has no times: its samples are laid one after another, which the recording says.
//
// Errors: those of named::read_perf_script() and read_pprof(); kNoSpace, kPermission: the recording cannot be
// written; kNoSpace also beyond 2^26 samples or as many different call paths. Memory: 40 bytes a sample and a node of
// the paths.
Result<ImportReport> import_named(const std::filesystem::path& file, ImportFormat format,
                                  const std::filesystem::path& folder, const ImportOptions& options);

}  // namespace kymo::import
