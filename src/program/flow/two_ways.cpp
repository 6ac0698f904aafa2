#include "program/flow/two_ways.h"

#include <algorithm>
#include <map>

namespace kymo::program {
namespace {

constexpr std::uint32_t kHead = 2;  // instructions

class JumpsOfLoop {
  public:
    JumpsOfLoop(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
                std::uint32_t loop)
        : decoder_(decoder), code_(code), graph_(graph), header_(loops.loops[loop].header) {
        for (const std::uint32_t block : loops.loops[loop].own) {
            if (block < graph.blocks.size()) {
                runs_[block] = 0;
            }
        }
    }

    TwoWayLoop jumps() {
        TwoWayLoop found;
        count_runs();
        double all = 0;
        for (const auto& [block, runs] : runs_) {
            all += runs * graph_.blocks[block].instructions;
            found.blocks.push_back({graph_.blocks[block].begin, graph_.blocks[block].end});
        }
        for (const auto& [number, runs] : runs_) {
            const Block& block = graph_.blocks[number];
            if (block.how != BlockEnd::kConditionalJump && block.how != BlockEnd::kIndirectJump) {
                continue;
            }
            TwoWayJump jump;
            jump.jump = graph_.instructions[block.first_instruction + block.instructions - 1];
            bool stays = true;
            double heads = 0;
            for (const BlockEdge& edge : graph_.edges_of(number)) {
                stays = stays && runs_.contains(edge.to);
                if (stays && waits_for_nothing(edge.to)) {
                    const CodeBetween head = head_of(edge.to);
                    const bool is_new = std::find(jump.ways.begin(), jump.ways.end(), head) == jump.ways.end();
                    heads += is_new ? runs_[edge.to] * std::min(graph_.blocks[edge.to].instructions, kHead) : 0;
                    if (is_new) {
                        jump.ways.push_back(head);
                    }
                }
            }
            if ((stays || block.how == BlockEnd::kIndirectJump) && jump.ways.size() >= 2) {
                jump.even = all > 0 ? heads / all : 0;
                found.jumps.push_back(std::move(jump));
            }
        }
        return found;
    }

  private:
    // How often each block runs a round, on the graph without jumps back to the header.
    void count_runs() {
        // A block comes behind all that lead to it: depth first, by the order in which they are left.
        std::vector<std::uint32_t> order;
        std::map<std::uint32_t, bool> is_left;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> path = {{header_, 0}};
        is_left[header_] = false;
        while (!path.empty()) {
            auto& [block, next] = path.back();
            const auto edges = graph_.edges_of(block);
            if (next == edges.size()) {
                is_left[block] = true;
                order.push_back(block);
                path.pop_back();
                continue;
            }
            const std::uint32_t to = edges[next++].to;
            if (to != header_ && runs_.contains(to) && is_left.try_emplace(to, false).second) {
                path.emplace_back(to, 0);
            }
        }
        runs_[header_] = 1;
        for (auto block = order.rbegin(); block != order.rend(); ++block) {
            std::vector<std::uint32_t> inside;
            for (const BlockEdge& edge : graph_.edges_of(*block)) {
                if (runs_.contains(edge.to)) {
                    inside.push_back(edge.to);
                }
            }
            for (const std::uint32_t to : inside) {
                runs_[to] += to == header_ ? 0 : runs_[*block] / static_cast<double>(inside.size());
            }
        }
    }

    bool waits_for_nothing(std::uint32_t block) const {
        const std::uint64_t address = graph_.blocks[block].begin;
        Instruction in;
        if (!decoder_.decode(code_.from(address), address, &in)) {
            return false;
        }
        bool reads = false;
        for (std::size_t i = 0; i < in.memory_operands; ++i) {
            reads = reads || in.memory[i].is_read;
        }
        return !reads && !is_call(in.kind) && !in.is_division && !in.is_locked && !in.is_pause;
    }

    CodeBetween head_of(std::uint32_t number) const {
        const Block& block = graph_.blocks[number];
        return {block.begin,
                block.instructions > kHead ? graph_.instructions[block.first_instruction + kHead] : block.end};
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    std::uint32_t header_;
    std::map<std::uint32_t, double> runs_;  // by block of the loop
};

}  // namespace

std::vector<TwoWayLoop> two_way_loops(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                      const Loops& loops) {
    std::vector<TwoWayLoop> found;
    const std::vector<bool> has_inner = have_loops_inside(loops.loops);
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
        if (has_inner[loop] || loops.loops[loop].irreducible) {
            continue;
        }
        TwoWayLoop one = JumpsOfLoop(decoder, code, graph, loops, loop).jumps();
        if (!one.jumps.empty()) {
            found.push_back(std::move(one));
        }
    }
    return found;
}

}  // namespace kymo::program
