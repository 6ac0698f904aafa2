#include "view/tree_rows.h"

#include <algorithm>

namespace kymo::view {
namespace {

using spacetime::CallNodeIndex;
using spacetime::CallTree;

class Chooser {
  public:
    Chooser(const CallTree& tree, const Metric& metric) : tree_(tree), metric_(metric), children_(tree.nodes.size()) {
        for (const CallNodeIndex node : indices(tree.nodes, 1)) {
            node.in(tree.nodes).parent.in(children_).push_back(node);
        }
        for (auto& children : children_) {
            std::stable_sort(children.begin(), children.end(),
                             [&](CallNodeIndex a, CallNodeIndex b) { return total(a) > total(b); });
        }
    }

    // `most_roots`: the number of outermost rows shown, the others in one row.
    std::vector<TreeRow> rows(std::int64_t least, std::size_t most_roots = SIZE_MAX) {
        rows_.clear();
        most_roots_ = most_roots;
        least_ = std::max<std::int64_t>(least, 1);
        // An explicit stack: recursion in the program may be deeper than ours should be.
        struct Pending {
            TreeRow row;
            CallNodeIndex below;  // its callees follow; kNodes only
        };
        std::vector<Pending> stack;
        const auto push_below = [&](CallNodeIndex node, const std::vector<bool>& levels) {
            std::vector<TreeRow> below = rows_below(node);
            for (std::size_t i = below.size(); i-- > 0;) {
                below[i].is_last = levels;
                below[i].is_last.push_back(i + 1 == below.size());
                const CallNodeIndex end = below[i].chain.back();
                stack.push_back({std::move(below[i]), end});
            }
        };
        push_below(CallNodeIndex(0), {});
        while (!stack.empty()) {
            Pending next = std::move(stack.back());
            stack.pop_back();
            const bool has_callees = next.row.kind == TreeRow::Kind::kNodes;
            const std::vector<bool> levels = next.row.is_last;
            rows_.push_back(std::move(next.row));
            if (has_callees) {
                push_below(next.below, levels);
            }
        }
        return std::move(rows_);
    }

  private:
    std::int64_t total(CallNodeIndex node) const { return metric_.of(node.in(tree_.total)); }
    std::int64_t self(CallNodeIndex node) const { return metric_.of(node.in(tree_.self)); }

    static std::vector<std::int64_t> copy(std::span<const std::int64_t> costs) {
        return {costs.begin(), costs.end()};
    }

    std::size_t visible(CallNodeIndex node) const {
        const auto& children = node.in(children_);
        return static_cast<std::size_t>(std::find_if(children.begin(), children.end(),
                                                     [&](CallNodeIndex child) { return total(child) < least_; }) -
                                        children.begin());
    }

    // One callee and little else: under a twentieth of what would be shown.
    bool only_calls(CallNodeIndex node) const {
        return visible(node) == 1 &&
               total(node) - total(node.in(children_)[0]) < std::max<std::int64_t>(least_ / 20, 1);
    }

    std::vector<TreeRow> rows_below(CallNodeIndex node) const {
        std::vector<TreeRow> rows;
        const std::size_t shown = std::min(visible(node), node == CallNodeIndex(0) ? most_roots_ : SIZE_MAX);
        if (shown == 0) {
            return rows;
        }
        const auto& children = node.in(children_);
        for (std::size_t i = 0; i < shown; ++i) {
            TreeRow row;
            row.costs = copy(children[i].in(tree_.total));
            row.chain.push_back(children[i]);
            while (only_calls(row.chain.back())) {
                row.chain.push_back(row.chain.back().in(children_)[0]);
            }
            rows.push_back(std::move(row));
        }
        if (node != CallNodeIndex(0) && self(node) >= least_) {
            TreeRow itself;
            itself.kind = TreeRow::Kind::kItself;
            itself.chain = {node};
            itself.costs = copy(node.in(tree_.self));
            const auto place = std::find_if(rows.begin(), rows.end(), [&](const TreeRow& row) {
                return metric_.of(row.costs) < metric_.of(itself.costs);
            });
            rows.insert(place, std::move(itself));
        }
        TreeRow rest;
        rest.kind = TreeRow::Kind::kRest;
        rest.chain = {node};
        rest.costs.resize(tree_.total.columns());
        for (std::size_t i = shown; i < children.size(); ++i) {
            if (total(children[i]) > 0) {
                ++rest.rest;
                spacetime::add(rest.costs, children[i].in(tree_.total));
            }
        }
        if (metric_.of(rest.costs) >= least_ / 4 && rest.rest != 0) {
            rows.push_back(std::move(rest));
        }
        return rows;
    }

    const CallTree& tree_;
    const Metric& metric_;
    std::vector<std::vector<CallNodeIndex>> children_;
    std::vector<TreeRow> rows_;
    std::int64_t least_ = 1;
    std::size_t most_roots_ = SIZE_MAX;
};

}  // namespace

std::vector<TreeRow> tree_rows(const CallTree& tree, const Metric& metric, const TreeLimits& limits) {
    Chooser chooser(tree, metric);
    const auto total = static_cast<double>(metric.of(tree.total[0]));
    double least = limits.least_share;
    std::vector<TreeRow> rows = chooser.rows(static_cast<std::int64_t>(total * least));
    while (rows.size() > limits.most_rows && least < 0.5) {
        const double more = std::max(least * 1.25, 1e-4);
        auto fewer = chooser.rows(static_cast<std::int64_t>(total * more));
        if (fewer.empty()) {
            break;  // many processes that take equally long
        }
        least = more;
        rows = std::move(fewer);
    }
    for (std::size_t roots = limits.most_rows; rows.size() > limits.most_rows && roots > 0; --roots) {
        rows = chooser.rows(static_cast<std::int64_t>(total * least), roots);
    }
    return rows;
}

}  // namespace kymo::view
