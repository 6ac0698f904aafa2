// Traces, which say what threads did from when to when, rewritten as recordings of Kymo.
#pragma once

#include "base/result.h"
#include "import/import.h"

#include <filesystem>

namespace kymo::import {

// As import_perf_data(), of a trace in Chromium's format or Perfetto's. Slices that are in one another are a thread's
// call path; each is a frame with the slice's name, and the first of its categories is the frame's module. What a
// slice was about (`detail`, of clang -ftime-trace) is another frame behind it. Points in time and counters' values
// become marks, asynchronous spans the marks of their beginnings and ends, in the thread where they began.
//
// Time. A thread's time in slices is given to them. Where a trace has the threads' clocks, or the kernel's switches,
// it is divided into time on a processor and off it; where it has neither, the recording has no clock of a processor,
// and says so. Of time outside of slices nothing is known then.
//
// Errors: those of named::read_chrome_trace() and read_perfetto_trace(); kNoSpace, kPermission: the recording cannot
// be written; kNoSpace also beyond TraceEvents::kMostEvents. Memory: TraceEvents', and 32 bytes a change of a path.
Result<ImportReport> import_trace(const std::filesystem::path& file, ImportFormat format,
                                  const std::filesystem::path& folder, const ImportOptions& options);

}  // namespace kymo::import
