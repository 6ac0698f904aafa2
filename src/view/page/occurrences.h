// Occurrences of code spaces with the measurements over each, and the spaces before and after them: the blob
// "occurrences".
#pragma once

#include "spacetime/evidence/evidence.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/page/blob.h"
#include "view/page/leaves.h"
#include "view/page/time_pass.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::view {

// Evidence node → node of the page's call tree (index of Leaves::nodes); 0: none. By the functions of its call path.
std::vector<std::uint32_t> page_nodes(const spacetime::Evidence& evidence, const spacetime::CallTree& tree,
                                      const Leaves& leaves);

// At most `most` occurrences, of spaces with the longest time first; of each space all or an even part of them.
Blob make_occurrences(const spacetime::Evidence& evidence, const spacetime::Profile& profile,
                      const spacetime::CallTree& tree, const Leaves& leaves, const TimeRange& range,
                      std::size_t most);

}  // namespace kymo::view
