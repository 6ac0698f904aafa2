// Traces in the Trace Event Format of Chromium ("Trace Event Format", 2016): JSON, compressed by gzip or not. Written
// by browsers, by Perfetto's older tools, clang -ftime-trace, PyTorch, Bazel, Node and many others.
#pragma once

#include "base/result.h"
#include "import/named/input.h"
#include "import/named/trace.h"
#include "import/named/visitor.h"

#include <cstdint>
#include <span>

namespace kymo::import::named {

// Reads the input to its end, in one pass, and hands on what it says in the order of the file.
//
// Understood are an array of events and an object with `traceEvents`, also where they are cut off, as browsers leave
// them; the phases B, E, X, i, I, R, C, b, e, S, F, and M for names of processes and threads; flows: phases s, t and
// f, and slices with bind_id; samples: phase P with a stack, V8's profiles (Profile, ProfileChunk), and the lists
// `samples` and `stackFrames`. A counter with several series is one for each. Numbers of processes and threads that
// are texts get numbers of their own. Sums by name that clang -ftime-trace writes behind its slices ("Total …") are
// left out, since they are no time of their own. Everything else is counted, and one notice says what it was.
//
// Any bytes are safe. Memory: 1 MiB, and kMostTextBytes at most for a text; whatever the file.
//
// Limits. More is left out, with a notice: names of 4,096 bytes; 2^36 bytes of JSON; a text or number of
// kMostTextBytes ends the reading.
//
// Errors: the input's; kMalformed: nothing of it is an event.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20U;
Result<TraceFacts> read_chrome_trace(Input& input, TraceVisitor& visitor, const Progress& progress = {});

// Whether the beginning of a file, decompressed, looks like that of such a trace. Cost: one pass over it.
bool looks_like_chrome_trace(std::span<const std::uint8_t> beginning);

}  // namespace kymo::import::named
