#include "spacetime/spaces/block_paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace kymo::spacetime {
namespace {

using program::Digraph;

constexpr std::size_t kMaxSets = 32;
constexpr std::uint32_t kFar = 0xffffffffU;

// The graph between the two ends. Nodes 0 (start) and 1 (end) are the end of `from` and the beginning of `to`;
// the others are whole blocks, `from` and `to` among them if walks come through them again.
struct Between {
    std::vector<std::uint32_t> block;  // by node, from 2
    Digraph graph;
    std::vector<Digraph::Edge> edges;
    std::vector<std::uint32_t> back;  // by edge: index of the back edge or kNone
};

std::vector<bool> reach(const FunctionFlow& flow, std::uint32_t start, bool forwards) {
    std::vector<bool> seen(flow.graph.blocks.size(), false);
    std::vector<std::uint32_t> stack = {start};
    while (!stack.empty()) {
        const std::uint32_t at = stack.back();
        stack.pop_back();
        for (const std::uint32_t next : forwards ? flow.blocks.successors(at) : flow.blocks.predecessors(at)) {
            if (!seen[next]) {
                seen[next] = true;
                stack.push_back(next);
            }
        }
    }
    return seen;
}

std::optional<Between> cut_out(const FunctionFlow& flow, std::uint32_t from, std::uint32_t to) {
    const std::vector<bool> after = reach(flow, from, true);
    if (!after[to]) {
        return std::nullopt;
    }
    const std::vector<bool> before = reach(flow, to, false);
    Between result;
    result.block = {from, to};
    std::vector<std::uint32_t> node(after.size(), kNone);
    for (std::uint32_t block = 0; block < after.size(); ++block) {
        if (after[block] && before[block]) {
            node[block] = static_cast<std::uint32_t>(result.block.size());
            result.block.push_back(block);
        }
    }
    const auto add = [&](std::uint32_t at, std::uint32_t block) {
        const auto successors = flow.blocks.successors(block);
        for (std::size_t i = 0; i < successors.size(); ++i) {
            if (node[successors[i]] != kNone) {
                result.edges.emplace_back(at, node[successors[i]]);
                result.back.push_back(flow.out_back[block][i]);
            }
            if (successors[i] == to) {
                result.edges.emplace_back(at, 1);
                result.back.push_back(flow.out_back[block][i]);
            }
        }
    };
    add(0, from);
    for (std::uint32_t at = 2; at < result.block.size(); ++at) {
        add(at, result.block[at]);
    }
    result.graph = Digraph(static_cast<std::uint32_t>(result.block.size()), result.edges);
    return result;
}

// Sets of back edges of which none contains another.
class MinimalSets {
  public:
    bool insert(std::uint64_t set) {
        if (std::any_of(sets_.begin(), sets_.end(), [&](std::uint64_t known) { return (known & set) == known; })) {
            return false;
        }
        std::erase_if(sets_, [&](std::uint64_t known) { return (known & set) == set; });
        sets_.push_back(set);
        return true;
    }
    const std::vector<std::uint64_t>& sets() const { return sets_; }

  private:
    std::vector<std::uint64_t> sets_;
};

// By node: the minimal sets of back edges with which it is reached from `start`. None if there are too many.
std::optional<std::vector<MinimalSets>> minimal_sets(std::uint32_t nodes, const std::vector<Digraph::Edge>& edges,
                                                     const std::vector<std::uint64_t>& bits, std::uint32_t start) {
    std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> out(nodes);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        out[edges[i].first].emplace_back(edges[i].second, bits[i]);
    }
    std::vector<MinimalSets> result(nodes);
    std::vector<std::pair<std::uint32_t, std::uint64_t>> queue = {{start, 0}};
    result[start].insert(0);
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const auto [at, set] = queue[i];
        const auto& known = result[at].sets();
        if (std::find(known.begin(), known.end(), set) == known.end()) {
            continue;  // a smaller one has come since
        }
        for (const auto& [next, bit] : out[at]) {
            if ((set & bit) == 0 && result[next].insert(set | bit)) {
                if (result[next].sets().size() > kMaxSets) {
                    return std::nullopt;
                }
                queue.emplace_back(next, set | bit);
            }
        }
    }
    return result;
}

// By node: whether it is on a walk.
std::vector<bool> on_walks(const FunctionFlow& flow, const Between& between, bool* approximate) {
    const std::uint32_t nodes = between.graph.size();
    std::vector<std::uint64_t> bits(between.edges.size(), 0);
    std::vector<std::uint32_t> numbered;
    // Elsewhere loops may be entered beside their headers: all back edges count.
    const bool only_around = !flow.irreducible && flow.from_entry[between.block[0]];
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const std::uint32_t back = between.back[i];
        if (back == kNone || (only_around && !flow.loops.contains(flow.back_edge_loop[back], between.block[0]))) {
            continue;
        }
        auto known = std::find(numbered.begin(), numbered.end(), back);
        if (known == numbered.end()) {
            if (numbered.size() == 64) {
                *approximate = true;
                return std::vector<bool>(nodes, true);
            }
            numbered.push_back(back);
            known = std::prev(numbered.end());
        }
        bits[i] = std::uint64_t{1} << (known - numbered.begin());
    }
    if (numbered.empty()) {
        return std::vector<bool>(nodes, true);
    }
    std::vector<Digraph::Edge> reversed;
    for (const auto& [from, to] : between.edges) {
        reversed.emplace_back(to, from);
    }
    const auto there = minimal_sets(nodes, between.edges, bits, 0);
    const auto onwards = minimal_sets(nodes, reversed, bits, 1);
    *approximate = !there || !onwards;
    std::vector<bool> result(nodes, true);
    for (std::uint32_t node = 2; node < nodes && !*approximate; ++node) {
        const auto& ahead = (*onwards)[node].sets();
        const auto& behind = (*there)[node].sets();
        result[node] = std::any_of(behind.begin(), behind.end(), [&](std::uint64_t set) {
            return std::any_of(ahead.begin(), ahead.end(), [&](std::uint64_t other) { return (set & other) == 0; });
        });
    }
    return result;
}

// By node: the share of the walks with the fewest back edges that pass it. Numbers of walks are kept as binary
// logarithms: they grow exponentially.
std::vector<double> shares(const FunctionFlow& flow, const Between& between) {
    const std::uint32_t nodes = between.graph.size();
    const auto distances = [&](std::uint32_t start, bool forwards) {
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> out(nodes);
        for (std::size_t i = 0; i < between.edges.size(); ++i) {
            const auto [from, to] = between.edges[i];
            const std::uint32_t cost = between.back[i] == kNone ? 0 : 1;
            forwards ? out[from].emplace_back(to, cost) : out[to].emplace_back(from, cost);
        }
        std::vector<std::uint32_t> distance(nodes, kFar);
        distance[start] = 0;
        std::vector<std::uint32_t> level = {start};
        for (std::uint32_t now = 0; !level.empty(); ++now) {  // breadth first by back edges taken
            std::vector<std::uint32_t> next;
            for (std::size_t i = 0; i < level.size(); ++i) {
                if (distance[level[i]] != now) {
                    continue;
                }
                for (const auto& [to, cost] : out[level[i]]) {
                    if (now + cost < distance[to]) {
                        distance[to] = now + cost;
                        (cost == 0 ? level : next).push_back(to);
                    }
                }
            }
            level = std::move(next);
        }
        return distance;
    };
    const auto from_start = distances(0, true);
    const auto to_end = distances(1, false);
    const std::uint32_t fewest = from_start[1];

    // Edges without back edges ascend in rank, back edges ascend in distance: sorted so, every edge goes forwards.
    std::vector<std::size_t> useful;
    for (std::size_t i = 0; i < between.edges.size(); ++i) {
        const auto [from, to] = between.edges[i];
        const std::uint32_t cost = between.back[i] == kNone ? 0 : 1;
        if (from_start[from] != kFar && to_end[to] != kFar && from_start[from] + cost + to_end[to] == fewest) {
            useful.push_back(i);
        }
    }
    const auto key = [&](std::uint32_t node) {
        const std::uint64_t rank = node == 0   ? 0
                                   : node == 1 ? kFar
                                               : flow.rank[between.block[node]] + std::uint64_t{1};
        return std::uint64_t{from_start[node]} << 33U | rank;
    };
    std::sort(useful.begin(), useful.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(key(between.edges[a].first), a) < std::pair(key(between.edges[b].first), b);
    });
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const auto add = [](double* to, double value) {
        const double large = std::max(*to, value);
        const double small = std::min(*to, value);
        *to = small == kNone ? large : large + std::log2(1 + std::exp2(small - large));
    };
    std::vector<double> before(nodes, kNone);
    std::vector<double> after(nodes, kNone);
    before[0] = 0;
    after[1] = 0;
    for (const std::size_t i : useful) {
        add(&before[between.edges[i].second], before[between.edges[i].first]);
    }
    for (auto i = useful.rbegin(); i != useful.rend(); ++i) {
        add(&after[between.edges[*i].first], after[between.edges[*i].second]);
    }
    std::vector<double> result(nodes, 0);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        result[node] = std::exp2(before[node] + after[node] - before[1]);
    }
    return result;
}

}  // namespace

BlocksBetween blocks_between(const FunctionFlow& flow, std::uint32_t from, std::uint32_t to) {
    BlocksBetween result;
    const auto between = cut_out(flow, from, to);
    if (!between) {
        return result;
    }
    result.reachable = true;
    const auto dominators = program::immediate_dominators(between->graph, 0);
    std::vector<bool> is_common(between->graph.size(), false);
    for (std::uint32_t node = dominators[1]; node != 0; node = dominators[node]) {
        is_common[node] = true;
        result.common.push_back(between->block[node]);
    }
    std::reverse(result.common.begin(), result.common.end());

    const auto on_walk = on_walks(flow, *between, &result.approximate);
    std::optional<std::vector<double>> share;
    for (std::uint32_t node = 2; node < between->graph.size(); ++node) {
        if (is_common[node] || !on_walk[node]) {
            continue;
        }
        if (!share) {
            share = shares(flow, *between);
        }
        const double instructions = (*share)[node] * flow.graph.blocks[between->block[node]].instructions;
        result.rest.push_back({between->block[node], static_cast<std::uint64_t>(std::llround(
                                                         instructions * static_cast<double>(kInstruction)))});
    }
    return result;
}

}  // namespace kymo::spacetime
