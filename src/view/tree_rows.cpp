#include "view/tree_rows.h"

#include <algorithm>

namespace kymo::view {
namespace {

using spacetime::CallTree;

class Chooser {
  public:
    Chooser(const CallTree& tree, const Metric& metric) : tree_(tree), metric_(metric), children_(tree.nodes.size()) {
        for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
            children_[tree.nodes[i].parent].push_back(static_cast<std::uint32_t>(i));
        }
        for (auto& children : children_) {
            std::stable_sort(children.begin(), children.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return total(a) > total(b); });
        }
    }

    std::vector<TreeRow> rows(std::int64_t least) {
        rows_.clear();
        least_ = std::max<std::int64_t>(least, 1);
        // An explicit stack: recursion in the program may be deeper than ours should be.
        struct Pending {
            TreeRow row;
            std::uint32_t below = 0;  // its callees follow; kNodes only
        };
        std::vector<Pending> stack;
        const auto push_below = [&](std::uint32_t node, const std::vector<bool>& levels) {
            std::vector<TreeRow> below = rows_below(node);
            for (std::size_t i = below.size(); i-- > 0;) {
                below[i].is_last = levels;
                below[i].is_last.push_back(i + 1 == below.size());
                const std::uint32_t end = below[i].chain.back();
                stack.push_back({std::move(below[i]), end});
            }
        };
        push_below(0, {});
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
    std::int64_t total(std::uint32_t node) const { return metric_.of(tree_.total[node]); }
    std::int64_t self(std::uint32_t node) const { return metric_.of(tree_.self[node]); }

    static std::vector<std::int64_t> copy(std::span<const std::int64_t> costs) {
        return {costs.begin(), costs.end()};
    }

    std::size_t visible(std::uint32_t node) const {
        const auto& children = children_[node];
        return static_cast<std::size_t>(std::find_if(children.begin(), children.end(),
                                                     [&](std::uint32_t child) { return total(child) < least_; }) -
                                        children.begin());
    }

    // One callee and nothing else to speak of: under a twentieth of what would be shown.
    bool only_calls(std::uint32_t node) const {
        return visible(node) == 1 && total(node) - total(children_[node][0]) < std::max<std::int64_t>(least_ / 20, 1);
    }

    std::vector<TreeRow> rows_below(std::uint32_t node) const {
        std::vector<TreeRow> rows;
        const std::size_t shown = visible(node);
        if (shown == 0) {
            return rows;
        }
        const auto& children = children_[node];
        for (std::size_t i = 0; i < shown; ++i) {
            TreeRow row;
            row.costs = copy(tree_.total[children[i]]);
            row.chain.push_back(children[i]);
            while (only_calls(row.chain.back())) {
                row.chain.push_back(children_[row.chain.back()][0]);
            }
            rows.push_back(std::move(row));
        }
        if (node != 0 && self(node) >= least_) {
            TreeRow itself;
            itself.kind = TreeRow::Kind::kItself;
            itself.chain = {node};
            itself.costs = copy(tree_.self[node]);
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
                spacetime::add(rest.costs, tree_.total[children[i]]);
            }
        }
        if (metric_.of(rest.costs) >= least_ / 4 && rest.rest != 0) {
            rows.push_back(std::move(rest));
        }
        return rows;
    }

    const CallTree& tree_;
    const Metric& metric_;
    std::vector<std::vector<std::uint32_t>> children_;
    std::vector<TreeRow> rows_;
    std::int64_t least_ = 1;
};

}  // namespace

std::vector<TreeRow> tree_rows(const CallTree& tree, const Metric& metric, const TreeLimits& limits) {
    Chooser chooser(tree, metric);
    const auto total = static_cast<double>(metric.of(tree.total[0]));
    double least = limits.least_share;
    std::vector<TreeRow> rows = chooser.rows(static_cast<std::int64_t>(total * least));
    while (rows.size() > limits.most_rows && least < 0.5) {
        least = std::max(least * 1.25, 1e-4);
        rows = chooser.rows(static_cast<std::int64_t>(total * least));
    }
    return rows;
}

}  // namespace kymo::view
