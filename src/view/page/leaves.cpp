#include "view/page/leaves.h"

#include "view/threads/rank_nodes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>

namespace kymo::view {
namespace {

using spacetime::CallNodeIndex;
using spacetime::CallTree;
using spacetime::NodeKind;
using spacetime::Profile;

// Processor time counts fully, time off it a tenth: a thread that sleeps for the whole run must not push out the
// code.
std::int64_t heat(std::span<const std::int64_t> costs) {
    return 10 * std::max<std::int64_t>(spacetime::processor_time(costs), 0) +
           std::max<std::int64_t>(costs[spacetime::kOffCpu], 0) + costs[spacetime::kSamples];
}

// Of `combined` nodes, and of equal call paths below them, the first one stands for all.
std::vector<CallNodeIndex> same_nodes(const CallTree& tree, const std::vector<bool>& combined) {
    std::vector<CallNodeIndex> same;
    std::vector<bool> is_below(tree.nodes.size());
    std::map<std::tuple<std::uint32_t, std::uint32_t, NodeKind, bool>, CallNodeIndex> known;
    for (const CallNodeIndex node : indices(tree.nodes)) {
        const spacetime::CallNode& call = node.in(tree.nodes);
        const bool is_combined = raw(node) < combined.size() && combined[raw(node)];
        node.in(is_below) = is_combined || (raw(node) != 0 && call.parent.in(is_below));
        if (!node.in(is_below)) {
            same.push_back(node);
            continue;
        }
        const std::uint32_t function = is_combined ? kNone : call.function;
        const auto [first, is_new] =
            known.try_emplace({raw(call.parent.in(same)), function, call.kind, call.inlined}, node);
        same.push_back(first->second);
    }
    return same;
}

void keep_nodes(const CallTree& tree, const std::vector<bool>& combined, std::size_t most_nodes, Leaves& out) {
    out.same = same_nodes(tree, combined);
    std::vector<CallNodeIndex> order;
    std::vector<std::int64_t> heats(tree.nodes.size());
    for (const CallNodeIndex node : indices(tree.nodes)) {
        node.in(out.same).in(heats) += heat(node.in(tree.total));
        if (node.in(out.same) == node) {
            order.push_back(node);
        }
    }
    if (order.size() > most_nodes) {
        std::stable_sort(order.begin() + 1, order.end(),
                         [&](CallNodeIndex a, CallNodeIndex b) { return a.in(heats) > b.in(heats); });
        order.resize(most_nodes);
    }
    // A parent's total is at least its children's, but with equal ones the order is the tree's, so ancestors are in.
    std::vector<bool> is_kept(tree.nodes.size());
    for (const CallNodeIndex node : order) {
        node.in(is_kept) = true;
    }
    out.kept.resize(tree.nodes.size());
    for (const CallNodeIndex node : indices(tree.nodes)) {
        if (node.in(out.same) != node) {
            node.in(out.kept) = node.in(out.same).in(out.kept);
            continue;
        }
        const bool is_root = node == CallNodeIndex(0);
        const CallNodeIndex caller = node.in(tree.nodes).parent.in(out.same);
        const std::uint32_t parent = is_root ? 0 : caller.in(out.kept);
        const bool has_parent = is_root || out.nodes[parent] == caller;
        if (node.in(is_kept) && has_parent) {
            node.in(out.kept) = static_cast<std::uint32_t>(out.nodes.size());
            if (raw(node) < combined.size() && combined[raw(node)]) {
                out.ranks = node.in(out.kept);
            }
            out.nodes.push_back(node);
            out.parents.push_back(parent);
        } else {
            node.in(out.kept) = parent;
        }
    }
}

class LeafMaker {
  public:
    LeafMaker(const Profile& profile, const CallTree& tree, const std::vector<program::Request>& requests,
              Leaves& out)
        : profile_(profile), tree_(tree), requests_(requests), out_(out) {}

    void make() {
        out_.lines.emplace_back();
        out_.leaves.emplace_back();
        heats_.push_back(0);
        out_.leaf_of.resize(profile_.nodes.size());
        for (std::uint32_t node = 0; node < profile_.nodes.size(); ++node) {
            out_.leaf_of[node] = leaf_of(node);
            heats_[out_.leaf_of[node]] += heat(profile_.self[node]);
        }
        rank();
    }

  private:
    std::uint32_t leaf_of(std::uint32_t profile_node) {
        const CallNodeIndex call_node = tree_.node_of[profile_node];
        const std::uint32_t kept = call_node.in(out_.kept);
        const bool is_itself = out_.nodes[kept] == call_node.in(out_.same);
        const std::uint32_t line = is_itself ? line_of(profile_.nodes[profile_node]) : 0;
        const auto [entry, is_new] =
            leaves_.try_emplace({kept, line}, static_cast<std::uint32_t>(out_.leaves.size()));
        if (is_new) {
            out_.leaves.push_back({kept, line});
            heats_.push_back(0);
        }
        return entry->second;
    }

    std::uint32_t line_of(const spacetime::ProfileNode& node) {
        if (node.kind != NodeKind::kFrame) {
            return 0;
        }
        const auto& offsets = requests_[node.image].offsets;
        const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{node.offset});
        const auto frames = tree_.symbols.images[node.image].at(static_cast<std::size_t>(at - offsets.begin()));
        if (frames.empty()) {
            return 0;
        }
        const program::Frame& frame = frames.back();
        const auto [entry, is_new] = lines_.try_emplace({frame.function, frame.file, frame.line, node.image},
                                                        static_cast<std::uint32_t>(out_.lines.size()));
        if (is_new) {
            out_.lines.push_back({frame.function, frame.file, frame.line, node.image, node.offset, node.offset});
        }
        LeafLine& line = out_.lines[entry->second];
        line.first = std::min(line.first, node.offset);
        line.last = std::max(line.last, node.offset);
        return entry->second;
    }

    void rank() {
        std::vector<std::uint32_t> order(out_.leaves.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin() + 1, order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return heats_[a] > heats_[b]; });
        std::vector<std::uint32_t> rank_of(order.size());
        std::vector<Leaf> ranked;
        for (const std::uint32_t leaf : order) {
            rank_of[leaf] = static_cast<std::uint32_t>(ranked.size());
            ranked.push_back(out_.leaves[leaf]);
        }
        out_.leaves = std::move(ranked);
        for (std::uint32_t& leaf : out_.leaf_of) {
            leaf = rank_of[leaf];
        }
    }

    const Profile& profile_;
    const CallTree& tree_;
    const std::vector<program::Request>& requests_;
    Leaves& out_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> leaves_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> lines_;
    std::vector<std::int64_t> heats_;
};

}  // namespace

Leaves make_leaves(const Profile& profile, const CallTree& tree, const std::vector<program::Request>& requests,
                   std::size_t most_nodes) {
    Leaves out;
    keep_nodes(tree, ranks_to_combine(profile, tree), std::max<std::size_t>(most_nodes, 1), out);
    LeafMaker(profile, tree, requests, out).make();
    return out;
}

}  // namespace kymo::view
