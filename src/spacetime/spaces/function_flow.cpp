#include "spacetime/spaces/function_flow.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {

using program::Digraph;

FunctionFlow::FunctionFlow(program::FlowGraph made) : graph(std::move(made)) {
    const std::uint32_t count = static_cast<std::uint32_t>(graph.blocks.size());
    std::vector<Digraph::Edge> edges;
    for (std::uint32_t block = 0; block < count; ++block) {
        for (const program::BlockEdge& edge : graph.edges_of(block)) {
            edges.emplace_back(block, edge.to);
        }
    }
    blocks = Digraph(count, edges);
    loops = program::find_loops(program::block_digraph(graph), count);
    irreducible = loops.gave_up || std::any_of(loops.loops.begin(), loops.loops.end(),
                                               [](const program::Loop& loop) { return loop.irreducible; });

    std::vector<std::pair<Digraph::Edge, std::uint32_t>> back;
    for (std::uint32_t i = 0; i < loops.back_edges.size(); ++i) {
        back.emplace_back(loops.back_edges[i], i);
        back_edge_loop.push_back(loops.loop_of[loops.back_edges[i].second]);
    }
    std::sort(back.begin(), back.end());
    const auto index_of = [&](std::uint32_t from, std::uint32_t to) {
        const Digraph::Edge edge = {from, to};
        const auto at =
            std::lower_bound(back.begin(), back.end(), edge,
                             [](const auto& entry, const Digraph::Edge& value) { return entry.first < value; });
        return at != back.end() && at->first == edge ? at->second : kNone;
    };
    out_back.resize(count);
    in_back.resize(count);
    std::vector<std::uint32_t> waiting(count, 0);
    for (std::uint32_t block = 0; block < count; ++block) {
        for (const std::uint32_t to : blocks.successors(block)) {
            out_back[block].push_back(index_of(block, to));
        }
        for (const std::uint32_t from : blocks.predecessors(block)) {
            in_back[block].push_back(index_of(from, block));
            waiting[block] += in_back[block].back() == kNone ? 1 : 0;
        }
    }

    rank.assign(count, 0);
    std::vector<std::uint32_t> ready;
    for (std::uint32_t block = 0; block < count; ++block) {
        if (waiting[block] == 0) {
            ready.push_back(block);
        }
    }
    for (std::uint32_t i = 0; i < ready.size(); ++i) {
        rank[ready[i]] = i;
        const auto successors = blocks.successors(ready[i]);
        for (std::size_t k = 0; k < successors.size(); ++k) {
            if (out_back[ready[i]][k] == kNone && --waiting[successors[k]] == 0) {
                ready.push_back(successors[k]);
            }
        }
    }

    from_entry.assign(count, false);
    if (!graph.entries.empty()) {
        for (const std::uint32_t block : program::depth_first(blocks, graph.entries.front()).order) {
            from_entry[block] = true;
        }
    }

    straight.resize(count);
    for (std::uint32_t block = 0; block < count; ++block) {
        const bool goes_on = block > 0 && !program::FlowGraph::ends_in_jump(graph.blocks[block - 1]) &&
                             graph.blocks[block - 1].end == graph.blocks[block].begin;
        straight[block] = goes_on ? straight[block - 1] : block;
    }
}

}  // namespace kymo::spacetime
