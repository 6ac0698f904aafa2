#include "program/flow/loops.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace kymo::program {
namespace {

constexpr std::size_t kStepsPerItem = 64;
constexpr std::size_t kStepsAtLeast = 1'000'000;

// Everything below works on preorder numbers, as the paper does.
class Havlak {
  public:
    Havlak(const Digraph& graph, std::uint32_t root) : depth_(depth_first(graph, root)) {
        const std::size_t reached = depth_.order.size();
        back_.resize(reached);
        other_.resize(reached);
        headers_.assign(reached, kNone);
        is_header_.assign(reached, false);
        irreducible_.assign(reached, false);
        body_of_.assign(reached, kNone);
        joined_.resize(reached);
        std::iota(joined_.begin(), joined_.end(), 0U);
        std::size_t items = reached;
        for (std::uint32_t to = 0; to < reached; ++to) {
            for (const std::uint32_t node : graph.predecessors(depth_.order[to])) {
                const std::uint32_t from = depth_.number[node];
                if (from == kNone) {
                    continue;
                }
                ++items;
                (depth_.is_ancestor(to, from) ? back_[to] : other_[to]).push_back(from);
            }
        }
        budget_ = std::max(kStepsAtLeast, kStepsPerItem * items);
    }

    void run() {
        for (std::uint32_t header = static_cast<std::uint32_t>(back_.size()); header-- > 0 && !gave_up_;) {
            collapse(header);
        }
    }

    Loops result(std::uint32_t nodes) const {
        Loops out;
        out.gave_up = gave_up_;
        out.loop_of.assign(nodes, kNone);
        std::vector<std::uint32_t> loop_at(headers_.size(), kNone);  // header's preorder number → loop
        // Ascending preorder numbers: an outer header precedes the inner ones.
        for (std::uint32_t at = 0; at < headers_.size(); ++at) {
            const std::uint32_t node = depth_.order[at];
            const std::uint32_t around = headers_[at] == kNone ? kNone : loop_at[headers_[at]];
            out.loop_of[node] = around;
            if (is_header_[at]) {
                loop_at[at] = static_cast<std::uint32_t>(out.loops.size());
                Loop loop;
                loop.header = node;
                loop.parent = around;
                loop.depth = around == kNone ? 1 : out.loops[around].depth + 1;
                loop.irreducible = irreducible_[at];
                out.loops.push_back(std::move(loop));
                out.loop_of[node] = loop_at[at];
            }
            std::vector<std::uint32_t> latches = back_[at];
            std::sort(latches.begin(), latches.end());
            latches.erase(std::unique(latches.begin(), latches.end()), latches.end());
            for (const std::uint32_t latch : latches) {
                out.back_edges.emplace_back(depth_.order[latch], node);
            }
        }
        for (std::uint32_t node = 0; node < nodes; ++node) {
            if (out.loop_of[node] != kNone) {
                out.loops[out.loop_of[node]].own.push_back(node);
            }
        }
        return out;
    }

  private:
    std::uint32_t find(std::uint32_t at) {
        while (joined_[at] != at) {
            joined_[at] = joined_[joined_[at]];
            at = joined_[at];
        }
        return at;
    }

    bool spend(std::size_t steps) {
        gave_up_ = gave_up_ || steps > budget_;
        budget_ -= std::min(steps, budget_);
        return !gave_up_;
    }

    // Finds the body of the loop with this header, if it is one, and joins it into the header.
    void collapse(std::uint32_t header) {
        std::vector<std::uint32_t> body;
        const auto add = [&](std::uint32_t member) {
            if (member != header && body_of_[member] != header) {
                body_of_[member] = header;
                body.push_back(member);
            }
        };
        for (const std::uint32_t latch : back_[header]) {
            is_header_[header] = true;
            add(find(latch));
        }
        for (std::size_t next = 0; next < body.size(); ++next) {  // NOLINT(modernize-loop-convert): it grows
            const std::uint32_t member = body[next];
            for (std::size_t i = 0; i < other_[member].size(); ++i) {
                if (!spend(1)) {
                    return;
                }
                const std::uint32_t from = find(other_[member][i]);
                if (!depth_.is_ancestor(header, from)) {
                    // A way into the body that does not go through the header.
                    irreducible_[header] = true;
                    if (!spend(other_[header].size())) {
                        return;
                    }
                    if (std::find(other_[header].begin(), other_[header].end(), from) == other_[header].end()) {
                        other_[header].push_back(from);
                    }
                } else {
                    add(from);
                }
            }
        }
        for (const std::uint32_t member : body) {
            headers_[member] = header;
            joined_[member] = header;
        }
    }

    DepthFirst depth_;
    std::vector<std::vector<std::uint32_t>> back_;   // latches of each node
    std::vector<std::vector<std::uint32_t>> other_;  // its other predecessors
    std::vector<std::uint32_t> headers_;             // header of the innermost loop around each node
    std::vector<bool> is_header_;
    std::vector<bool> irreducible_;
    std::vector<std::uint32_t> body_of_;  // the header whose body a node was last put into
    std::vector<std::uint32_t> joined_;   // union-find
    std::size_t budget_ = 0;
    bool gave_up_ = false;
};

}  // namespace

bool Loops::contains(std::uint32_t loop, std::uint32_t node) const {
    for (std::uint32_t at = loop_of[node]; at != kNone; at = loops[at].parent) {
        if (at == loop) {
            return true;
        }
    }
    return false;
}

Loops find_loops(const Digraph& graph, std::uint32_t root) {
    Havlak havlak(graph, root);
    havlak.run();
    return havlak.result(graph.size());
}

std::vector<std::uint32_t> nodes_of(const Loops& loops, std::uint32_t loop, std::size_t nodes) {
    std::vector<std::uint32_t> inside;
    for (std::uint32_t i = 0; i < loops.loops.size(); ++i) {
        std::uint32_t at = i;
        while (at != loop && at != kNone) {
            at = loops.loops[at].parent;
        }
        if (at == loop) {
            const auto& own = loops.loops[i].own;
            std::copy_if(own.begin(), own.end(), std::back_inserter(inside), [&](auto node) { return node < nodes; });
        }
    }
    return inside;
}

std::vector<bool> have_loops_inside(const std::vector<Loop>& loops) {
    std::vector<bool> result(loops.size());
    for (const Loop& loop : loops) {
        if (loop.parent != kNone) {
            result[loop.parent] = true;
        }
    }
    return result;
}

}  // namespace kymo::program
