// The tree of places in the words of the source: call path › function › loops › functions inlined there or called
// from there › …, and the node of it in which each call path of the profile ends.
//
// A loop is below the function (inlined ones are functions) that its header and the jumps back to it belong to,
// and above what is inlined into its body. A function that calls itself directly is one node. Nodes without code
// (processes, partial paths) are groups; all ranks of a job that run the same program are one.
#pragma once

#include "base/index.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/node.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct StructureNode {
    std::uint32_t parent = 0;
    bool is_group = false;
    bool is_runtime = false;  // of the language's or the system's run time, not of the program
    SpaceKind kind = SpaceKind::kFunction;
    std::uint32_t function = 0;  // index of CallTree::symbols.functions: the function, or the one whose loop this is
    std::uint32_t inlined = 0;   // functions around it in the same machine code
    std::uint32_t code = kNone;  // of CodeMap; kNone: its code is not known
    std::uint32_t loop = kNone;  // of the function's loops
};

struct Structure {
    std::vector<StructureNode> nodes;    // a parent comes before its children; 0 is the root, a group
    std::vector<std::uint32_t> node_of;  // profile node → the innermost node that it lies in
    CostTable total;                     // row: node
    // By node: the lines of its own function, with the costs below while control was there: (file, line) → costs.
    std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::int64_t>>> lines;
};

// symbolize()'s results for an image's offsets: those of the profile, and those of the code examined.
class Names {
  public:
    // Borrows both. Requests are parallel to the profile's images.
    Names(const std::vector<program::Request>& requests, const program::Symbols& symbols)
        : requests_(requests), symbols_(symbols) {}
    // Outermost first; empty: not requested.
    std::span<const program::Frame> at(std::uint32_t image, std::uint64_t offset) const;
    // For each requested offset in the range, in order: each(std::span<const program::Frame>).
    template <typename Each>
    void each_in(std::uint32_t image, const ByteRange& range, Each&& each) const {
        const auto& offsets = requests_[image].offsets;
        auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{range.begin});
        for (; at != offsets.end() && raw(*at) < range.end; ++at) {
            each(symbols_.images[image].at(static_cast<std::size_t>(at - offsets.begin())));
        }
    }
    const program::Symbols& symbols() const { return symbols_; }

  private:
    const std::vector<program::Request>& requests_;
    const program::Symbols& symbols_;
};

// Instructions whose names and lines are looked up: all of small functions, first and last of blocks in large
// ones.
std::vector<std::uint64_t> telling_addresses(const program::FlowGraph& graph);

// Loops are those of functions whose graphs were made (CodeMap::make_flows).
Structure make_structure(const Profile& profile, const Names& names, const CodeMap& code);

}  // namespace kymo::spacetime
