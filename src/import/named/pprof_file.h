// Profiles of pprof: their samples to a visitor. Format: profile.proto of github.com/google/pprof (2024).
#pragma once

#include "base/result.h"
#include "import/named/input.h"
#include "import/named/visitor.h"

#include <cstdint>
#include <span>

namespace kymo::import::named {

// Reads the input to its end: a profile, compressed by gzip or not.
//
// Each kind of value in the profile ("cpu" in nanoseconds, "samples", …) is an event. A sample of the profile becomes
// a sample of each event whose value is above 0, with that value as its period. A location with inlined functions is
// a frame for each. Labels give process, thread, thread's name and processor where their names are usual ones (pid,
// "process id", tid, thread_id, comm, thread, "thread name", cpu), and the time where it is there (end_timestamp_ns).
// Labels of other kinds are passed over, so several samples may differ in nothing that is delivered.
//
// Any bytes are safe. What is damaged is left out, with a notice; of a file that was cut off, what is there counts.
// Cost: two passes over the decompressed bytes. Memory: those, twice that while they grow, and at most 64 bytes for
// each entry of its tables.
//
// Limits. More is an error: WholeFile's. More is left out, with a notice: 2^22 entries of each table, 64 kinds of
// values, 1,024 functions inlined at a location, 4,096 frames of a call path (its inner frames are kept), 2^30 frames
// of all samples.
//
// Errors: the input's; kMalformed: not a profile, or one without samples; kNoSpace: a limit.
Result<Facts> read_pprof(Input& input, Visitor& visitor, const Progress& progress = {});

// Whether the beginning of a file, best some KiB, looks like that of a profile. Cost: one pass over it.
bool looks_like_pprof(std::span<const std::uint8_t> beginning);

}  // namespace kymo::import::named
