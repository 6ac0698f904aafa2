#include "spacetime/spaces/pair_rule.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {
namespace {

using program::Block;
using program::FlowGraph;

// Builds a space block by block.
class SpaceBuilder {
  public:
    explicit SpaceBuilder(const FlowGraph& graph) : graph_(graph) {}

    // Instructions `first` to `last` of a block, both included.
    void add(std::uint32_t block, std::uint32_t first, std::uint32_t last, std::uint64_t instructions) {
        const Block& at = graph_.blocks[block];
        const std::uint64_t begin = graph_.instructions[first];
        const bool goes_on = !space_.pairs.empty() && block == last_block_ + 1 && begin == at.begin &&
                             !FlowGraph::ends_in_jump(graph_.blocks[last_block_]) && last_end_ == begin;
        if (goes_on) {
            space_.pairs.back().last = graph_.instructions[last];
        } else {
            space_.pairs.push_back({begin, graph_.instructions[last]});
        }
        last_block_ = block;
        last_end_ = graph_.instruction_end(at, last);
        space_.ranges.push_back({begin, last_end_});
        space_.parts.push_back({block, instructions});
        space_.instructions += instructions;
    }
    void add(std::uint32_t block, std::uint32_t first, std::uint32_t last) {
        add(block, first, last, (last - first + std::uint64_t{1}) * kInstruction);
    }
    void add_whole(std::uint32_t block) { add(block, first_of(block), last_of(block)); }
    void add_whole(const BlockPart& part) {
        add(part.block, first_of(part.block), last_of(part.block), part.instructions);
    }

    std::uint32_t first_of(std::uint32_t block) const { return graph_.blocks[block].first_instruction; }
    std::uint32_t last_of(std::uint32_t block) const {
        return first_of(block) + graph_.blocks[block].instructions - 1;
    }

    CodeSpace take(bool uncertain = false) {
        space_.uncertain = uncertain;
        space_.ranges = normalise(std::move(space_.ranges));
        return std::exchange(space_, {});
    }

  private:
    const FlowGraph& graph_;
    CodeSpace space_;
    std::uint32_t last_block_ = kNone - 1;
    std::uint64_t last_end_ = 0;
};

CodeSpace lone(std::uint64_t address) {
    return {
        .pairs = {{address, address}}, .ranges = {{address, address + 1}}, .parts = {}, .instructions = kInstruction};
}

// All instructions from a to b, by address. Empty if a is behind b, or either is in no block.
CodeSpace stretch(const FlowGraph& graph, std::uint64_t a, std::uint64_t b) {
    const std::uint32_t from = graph.block_at(a);
    const std::uint32_t to = graph.block_at(b);
    if (from == kNone || to == kNone || from > to) {
        return {};
    }
    const std::uint32_t first = graph.instruction_at(graph.blocks[from], a);
    const std::uint32_t last = graph.instruction_at(graph.blocks[to], b);
    if (first > last) {
        return {};
    }
    SpaceBuilder space(graph);
    for (std::uint32_t block = from; block <= to; ++block) {
        space.add(block, block == from ? first : space.first_of(block), block == to ? last : space.last_of(block));
    }
    return space.take();
}

}  // namespace

CodeSpace PairRule::tail(std::uint64_t a) const {
    const std::uint32_t block = flow_->graph.block_at(a);
    if (block == kNone) {
        return lone(a);
    }
    SpaceBuilder space(flow_->graph);
    space.add(block, flow_->graph.instruction_at(flow_->graph.blocks[block], a), space.last_of(block));
    return space.take();
}

CodeSpace PairRule::head(std::uint64_t b) const {
    const std::uint32_t block = flow_->graph.block_at(b);
    if (block == kNone) {
        return lone(b);
    }
    SpaceBuilder space(flow_->graph);
    space.add(block, space.first_of(block), flow_->graph.instruction_at(flow_->graph.blocks[block], b));
    return space.take();
}

CodeSpace PairRule::run(std::uint64_t a, std::uint64_t b) const {
    const FlowGraph& graph = flow_->graph;
    const std::uint32_t from = graph.block_at(a);
    const std::uint32_t to = graph.block_at(b);
    const bool is_straight = from != kNone && to != kNone && flow_->straight[from] == flow_->straight[to];
    return is_straight ? stretch(graph, a, b) : CodeSpace();
}

CodeSpace PairRule::executed(std::uint64_t a, std::uint64_t b) const {
    const FlowGraph& graph = flow_->graph;
    const std::uint32_t from = graph.block_at(a);
    const std::uint32_t to = graph.block_at(b);
    for (std::uint32_t block = from; from != kNone && to != kNone && block < to; ++block) {
        const Block& at = graph.blocks[block];
        const bool goes_on =
            at.how == program::BlockEnd::kFallThrough || at.how == program::BlockEnd::kConditionalJump;
        if (!goes_on || at.end != graph.blocks[block + 1].begin) {
            return {};
        }
    }
    return stretch(graph, a, b);
}

PairSpaces PairRule::between(std::uint64_t a, std::uint64_t b) {
    PairSpaces result;
    if (CodeSpace straight = run(a, b); !straight.pairs.empty()) {
        result.rule = PairCase::kNoJump;
        result.spaces.push_back(std::move(straight));
        return result;
    }
    const FlowGraph& graph = flow_->graph;
    const std::uint32_t from = graph.block_at(a);
    const std::uint32_t to = graph.block_at(b);
    const BlocksBetween* middle = nullptr;
    if (from != kNone && to != kNone) {
        const auto [at, is_new] = cache_.try_emplace(std::uint64_t{from} << 32U | to);
        if (is_new) {
            at->second = blocks_between(*flow_, from, to);
        }
        middle = &at->second;
    }
    if (middle == nullptr || !middle->reachable) {
        result.rule = PairCase::kNoPath;
        result.spaces = {tail(a), head(b)};
        return result;
    }
    SpaceBuilder space(graph);
    space.add(from, graph.instruction_at(graph.blocks[from], a), space.last_of(from));
    for (const std::uint32_t block : middle->common) {
        space.add_whole(block);
    }
    space.add(to, space.first_of(to), graph.instruction_at(graph.blocks[to], b));
    result.spaces.push_back(space.take());
    result.rule = PairCase::kOnePath;
    result.approximate = middle->approximate;
    if (!middle->rest.empty()) {
        result.rule = PairCase::kSeveralPaths;
        for (const BlockPart& part : middle->rest) {
            space.add_whole(part);
        }
        result.spaces.push_back(space.take(true));
    }
    return result;
}

}  // namespace kymo::spacetime
