// Folded stacks: one line a call path, "root;…;leaf weight", as flame-graph tools read them.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "view/metric.h"

#include <string>

namespace kymo::view {

// Inlined functions are frames. Times are in microseconds (rounded down after adding up), everything else as
// counted; paths of weight 0 are left out. Semicolons and line breaks in names become ':' and ' '.
// Ascending by line, so that two exports can be compared.
std::string folded_stacks(const spacetime::CallTree& tree, const Metric& metric);

}  // namespace kymo::view
