// The text that `perf script` prints: its samples, in the text's order, to a visitor.
#pragma once

#include "base/result.h"
#include "import/named/input.h"
#include "import/named/visitor.h"

#include <string_view>

namespace kymo::import::named {

// Reads the input to its end. Understood are the default output and most sets of fields (-F): comm, pid, tid, cpu,
// time, period, event, ip, sym, symoff, dso, dsoff, srcline, misc, trace; with and without call chains; the heading
// of
// --header; records that are not samples, of which only lost ones count. A field that a sample has beside these is
// passed over. Without a symbol's field, frames have addresses alone.
//
// A single number before the processor or the time is the thread: the process is then not known (-F +pid has both).
// A sample without an event's name belongs to one without a name.
//
// Any bytes are safe. What is not understood is left out, and one notice says how many lines that were, and which one
// was the first. Cost: one pass over the text. Memory: some 6 MiB, whatever the text.
//
// Limits. More is left out, with a notice: 64 KiB of a line, 4,096 frames and 4 MiB of text of a call path (its inner
// frames are kept), 1,024 events.
//
// Errors: the input's; kMalformed: the text has no sample.
Result<Facts> read_perf_script(Input& input, Visitor& visitor, const Progress& progress = {});

// Whether the beginning of a text looks like that of perf script. Cost: one pass over it.
bool looks_like_perf_script(std::string_view beginning);

}  // namespace kymo::import::named
