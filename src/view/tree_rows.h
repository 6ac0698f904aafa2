// Which lines of a call tree are worth showing, and their structure.
//
// Branches under the threshold are summed into one row. A chain of nodes that each do nothing but call the next
// one is one row. The own time of a function with visible callees gets a row of its own, so that the
// rows below a row add up to it.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "view/metric.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::view {

struct TreeRow {
    enum class Kind { kNodes, kItself, kRest };
    Kind kind = Kind::kNodes;
    std::vector<spacetime::CallNodeIndex> chain;  // outermost first (kNodes); the caller (kItself, kRest)
    std::uint64_t rest = 0;                       // kRest: branches summed
    std::vector<std::int64_t> costs;              // of the row
    std::vector<bool> is_last;                    // by level, outermost first: whether it is the last there
};

struct TreeLimits {
    double least_share = 0.01;   // of the root's total
    std::size_t most_rows = 60;  // beyond, the threshold is raised
};

// Rows from the root down, heaviest first. Cost: linear in the tree, times a few for raising the threshold.
std::vector<TreeRow> tree_rows(const spacetime::CallTree& tree, const Metric& metric, const TreeLimits& limits);

}  // namespace kymo::view
