// Exact occurrences from the rows of a recording.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/exact/exact_calls.h"

namespace kymo::spacetime {

// Empty for other recordings. One scan of each file. Error: the system cannot read a file. Rows that cannot be (of
// functions that nobody has chosen, lists that do not fit) are left out.
Result<ExactCalls> load_exact_calls(const recording::Recording& recording);

}  // namespace kymo::spacetime
