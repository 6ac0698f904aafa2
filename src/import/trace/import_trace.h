// Traces, which say what threads did from when to when, rewritten as recordings of Kymo.
#pragma once

#include "base/result.h"
#include "import/import.h"

#include <filesystem>

namespace kymo::import {

// As import_perf_data(), of a trace in Chromium's format. Slices that are in one another are a thread's call path;
// each is a frame with the slice's name, and the first of its categories is the frame's module. What a slice was
// about
// (`detail`, of clang -ftime-trace) is another frame behind it. Points in time and counters' values become marks,
// asynchronous spans the marks of their beginnings and ends, in the thread where they began.
//
// Time. A thread's time in slices is given to them. Where a trace has the threads' clocks, it is parted into time on
// a processor and off it; where it has not, all of it counts as time on a processor, which the recording says. Of
// time outside of slices nothing is known.
//
// Errors: those of named::read_chrome_trace(); kNoSpace, kPermission: the recording cannot be written; kNoSpace also
// beyond TraceEvents::kMostEvents. Memory: TraceEvents', and of one thread 40 bytes a change of its path.
Result<ImportReport> import_trace(const std::filesystem::path& file, ImportFormat format,
                                  const std::filesystem::path& folder, const ImportOptions& options);

}  // namespace kymo::import
