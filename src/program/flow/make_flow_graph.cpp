#include "program/flow/make_flow_graph.h"

#include "base/last_at_most.h"
#include "program/flow/jump_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace kymo::program {
namespace {

// What is known of one byte of code.
struct ByteMark {
    std::uint8_t length : 4 = 0;  // of the instruction that begins here
    std::uint8_t inside : 1 = 0;  // of an instruction that began earlier
    std::uint8_t bad : 1 = 0;     // no instruction can begin here
    std::uint8_t leader : 1 = 0;  // a block begins here
    std::uint8_t ends : 1 = 0;    // the instruction that begins here is a call that does not return
    InstructionKind kind = InstructionKind::kPlain;
};

class Builder {
  public:
    Builder(const Decoder& decoder, const FunctionCode& function, const CodeBytes& data,
            const std::function<bool(std::uint64_t)>& does_not_return, const FlowOptions& options)
        : decoder_(decoder), function_(function), data_(data), does_not_return_(does_not_return), options_(options) {}

    FlowGraph build() {
        std::size_t total = 0;
        for (const CodeRange& range : function_.code.ranges()) {
            total += range.bytes.size();
        }
        if (total > options_.max_bytes) {
            graph_.too_large = true;
            return std::move(graph_);
        }
        budget_.instructions = 1'000'000 + 4 * total;
        for (const CodeRange& range : function_.code.ranges()) {
            marks_.emplace_back(range.bytes.size());
        }
        push(function_.entry);
        for (const std::uint64_t entry : function_.more_entries) {
            push(entry);
        }
        follow_with_tables();
        decode_the_rest();
        follow_with_tables();
        mark_reached();
        return std::move(graph_);
    }

  private:
    ByteMark* mark(std::uint64_t address) {
        const auto ranges = function_.code.ranges();
        const CodeRange* const range = last_at_most(ranges, address, &CodeRange::begin);
        if (range == nullptr || address >= range->end()) {
            return nullptr;
        }
        return &marks_[static_cast<std::size_t>(range - ranges.data())][address - range->begin];
    }

    void push(std::uint64_t address) {
        if (function_.code.contains(address)) {
            work_.push_back(address);
        }
    }

    // The beginning of the instruction that holds this byte.
    std::uint64_t snap(std::uint64_t address) {
        const ByteMark* at = mark(address);
        for (unsigned back = 0; back < 15 && at != nullptr && at->inside != 0; ++back) {
            at = mark(--address);
        }
        return address;
    }

    void follow() {
        while (!work_.empty()) {
            const std::uint64_t address = work_.back();
            work_.pop_back();
            const ByteMark& first = *mark(address);
            graph_.overlaps += first.inside;
            const std::uint64_t begin = snap(address);
            mark(begin)->leader = 1;
            decode_run(begin);
        }
    }

    // Instruction after instruction, until control leaves or the next one is known. Fall-through is followed first
    // and targets later, so that a jump over a prefix finds the whole instruction decoded.
    void decode_run(std::uint64_t address) {
        for (;;) {
            const auto bytes = function_.code.from(address);
            if (bytes.empty()) {
                return;
            }
            ByteMark* const here = mark(address);
            if (here->length != 0 || here->inside != 0 || here->bad != 0) {
                return;
            }
            Instruction in;
            if (!decoder_.decode_flow(bytes, address, &in) || in.length == 0 || in.length > bytes.size()) {
                here->bad = 1;
                ++graph_.undecodable_bytes;
                return;
            }
            for (std::uint8_t i = 1; i < in.length; ++i) {
                if (here[i].length != 0) {  // a jump leads behind this instruction's first bytes
                    ++graph_.overlaps;
                    in.length = i;
                    in.kind = InstructionKind::kPlain;
                    in.has_target = false;
                }
            }
            here->length = static_cast<std::uint8_t>(in.length & 0xfU);
            here->kind = in.kind;
            for (std::uint8_t i = 1; i < in.length; ++i) {
                here[i].inside = 1;
            }
            const std::uint64_t next = address + in.length;
            if (in.kind == InstructionKind::kCall) {
                if (in.has_target && does_not_return_ && does_not_return_(in.target)) {
                    here->ends = 1;
                    return;
                }
            } else if (is_jump(in.kind)) {
                if (in.has_target) {
                    push(in.target);
                }
                if (in.kind != InstructionKind::kConditionalJump) {
                    return;
                }
                if (ByteMark* const behind = mark(next)) {
                    behind->leader = 1;
                }
            }
            address = next;
        }
    }

    // Follows all successors; then reads the jump tables for more, and repeats.
    void follow_with_tables() {
        for (std::uint32_t round = 0;; ++round) {
            follow();
            make_blocks();
            if (round >= options_.max_rounds || !read_tables()) {
                return;
            }
        }
    }

    bool read_tables() {
        std::vector<std::vector<std::uint32_t>> predecessors(graph_.blocks.size());
        for (std::uint32_t block = 0; block < graph_.blocks.size(); ++block) {
            for (const BlockEdge& edge : graph_.edges_of(block)) {
                predecessors[edge.to].push_back(block);
            }
        }
        bool found = false;
        for (std::uint32_t block = 0; block < graph_.blocks.size(); ++block) {
            if (graph_.blocks[block].how != BlockEnd::kIndirectJump) {
                continue;
            }
            const std::uint64_t jump = graph_.last_instruction(graph_.blocks[block]);
            if (tables_.contains(jump)) {
                continue;
            }
            auto table = read_jump_table(decoder_, graph_, predecessors, block, function_.code, data_,
                                         options_.max_table_entries, &budget_);
            if (table) {
                table_begins_.push_back(table->table.address);
                tables_.emplace(jump, std::move(*table));
                found = true;
            }
        }
        std::sort(table_begins_.begin(), table_begins_.end());
        for (auto& [jump, table] : tables_) {
            cut_at_next_table(&table);
            for (const std::uint64_t target : table.targets) {
                push(target);
            }
        }
        return found;
    }

    // Compilers leave the comparison out where the default cannot happen; then the next table is an end.
    void cut_at_next_table(TableTargets* table) const {
        if (table->table.bounded) {
            return;
        }
        const auto next = std::upper_bound(table_begins_.begin(), table_begins_.end(), table->table.address);
        if (next == table_begins_.end()) {
            return;
        }
        const std::uint64_t entries =
            std::max<std::uint64_t>(1, (*next - table->table.address) / table->table.entry_bytes);
        table->targets.resize(std::min<std::size_t>(table->targets.size(), entries));
        table->table.entries = static_cast<std::uint32_t>(table->targets.size());
    }

    void decode_the_rest() {
        for (std::size_t range = 0; range < marks_.size(); ++range) {
            const std::uint64_t begin = function_.code.ranges()[range].begin;
            for (std::size_t i = 0; i < marks_[range].size();
                 i += marks_[range][i].length != 0 ? marks_[range][i].length : 1) {
                const ByteMark& at = marks_[range][i];
                const bool aligned = (begin + i) % decoder_.alignment() == 0;
                if (aligned && at.length == 0 && at.inside == 0 && at.bad == 0) {
                    push(begin + i);
                    follow();
                }
            }
        }
    }

    void make_blocks() {
        graph_.blocks.clear();
        graph_.instructions.clear();
        for (std::size_t range = 0; range < marks_.size(); ++range) {
            const std::uint64_t begin = function_.code.ranges()[range].begin;
            const std::vector<ByteMark>& marks = marks_[range];
            bool open = false;  // the block before can be continued
            for (std::size_t i = 0; i < marks.size();) {
                const ByteMark at = marks[i];
                if (at.length == 0) {
                    open = false;
                    ++i;
                    continue;
                }
                if (!open || at.leader != 0) {
                    Block block;
                    block.begin = begin + i;
                    block.first_instruction = static_cast<std::uint32_t>(graph_.instructions.size());
                    graph_.blocks.push_back(block);
                }
                graph_.instructions.push_back(begin + i);
                i += at.length;
                ++graph_.blocks.back().instructions;
                graph_.blocks.back().end = begin + i;
                open = at.ends == 0 && !is_jump(at.kind);
            }
        }
        make_edges();
    }

    void make_edges() {
        graph_.edges.clear();
        graph_.tables.clear();
        graph_.unresolved.clear();
        last_from_.assign(graph_.blocks.size(), kNone);
        for (Block& block : graph_.blocks) {
            block.first_edge = static_cast<std::uint32_t>(graph_.edges.size());
            add_edges(&block);
            block.edges = static_cast<std::uint32_t>(graph_.edges.size()) - block.first_edge;
        }
    }

    void add_edge(Block* block, std::uint64_t address, EdgeKind kind) {
        const std::uint32_t to = function_.code.contains(address) ? graph_.block_at(snap(address)) : kNone;
        if (to == kNone) {
            block->leaves = true;
            return;
        }
        const std::uint32_t from = static_cast<std::uint32_t>(block - graph_.blocks.data());
        if (last_from_[to] != from) {
            graph_.edges.push_back({to, kind});
        }
        last_from_[to] = from;
    }

    void add_edges(Block* block) {
        const std::uint64_t last = graph_.last_instruction(*block);
        const ByteMark at = *mark(last);
        const auto fall_through = [&] { add_edge(block, block->end, EdgeKind::kFallThrough); };
        if (at.ends != 0) {
            block->how = BlockEnd::kNoReturnCall;
            return;
        }
        Instruction in;
        switch (at.kind) {
            case InstructionKind::kJump:
            case InstructionKind::kConditionalJump:
                block->how = at.kind == InstructionKind::kJump ? BlockEnd::kJump : BlockEnd::kConditionalJump;
                if (at.kind == InstructionKind::kConditionalJump) {
                    fall_through();
                }
                if (decoder_.decode_flow(function_.code.from(last), last, &in) && in.has_target) {
                    add_edge(block, in.target, EdgeKind::kJump);
                }
                return;
            case InstructionKind::kIndirectJump: {
                block->how = BlockEnd::kIndirectJump;
                const auto table = tables_.find(last);
                if (table == tables_.end()) {
                    block->leaves = true;
                    graph_.unresolved.push_back(last);
                    return;
                }
                graph_.tables.push_back(table->second.table);
                for (const std::uint64_t target : table->second.targets) {
                    add_edge(block, target, EdgeKind::kTable);
                }
                return;
            }
            case InstructionKind::kReturn:
                block->how = BlockEnd::kReturn;
                block->leaves = true;
                return;
            case InstructionKind::kTrap:
                block->how = BlockEnd::kTrap;
                return;
            default: {
                const ByteMark* const behind = mark(block->end);
                const bool goes_on = behind != nullptr && (behind->length != 0 || behind->inside != 0);
                block->how = goes_on ? BlockEnd::kFallThrough : BlockEnd::kCut;
                if (goes_on) {
                    fall_through();
                }
                return;
            }
        }
    }

    void mark_reached() {
        std::vector<std::uint32_t> stack;
        const auto reach = [&](std::uint32_t block) {
            if (!graph_.blocks[block].reached) {
                graph_.blocks[block].reached = true;
                stack.push_back(block);
            }
        };
        const auto enter = [&](std::uint64_t entry) {
            const std::uint32_t block = function_.code.contains(entry) ? graph_.block_at(snap(entry)) : kNone;
            if (block != kNone) {
                graph_.entries.push_back(block);
                reach(block);
            }
        };
        enter(function_.entry);
        for (const std::uint64_t entry : function_.more_entries) {
            enter(entry);
        }
        while (!stack.empty()) {
            const std::uint32_t block = stack.back();
            stack.pop_back();
            for (const BlockEdge& edge : graph_.edges_of(block)) {
                reach(edge.to);
            }
        }
    }

    const Decoder& decoder_;
    const FunctionCode& function_;
    const CodeBytes& data_;
    const std::function<bool(std::uint64_t)>& does_not_return_;
    FlowOptions options_;
    FlowGraph graph_;
    std::vector<std::vector<ByteMark>> marks_;                // by range
    std::vector<std::uint64_t> work_;                         // addresses in the code that are jump targets
    std::unordered_map<std::uint64_t, TableTargets> tables_;  // by jump
    std::vector<std::uint64_t> table_begins_;                 // ascending
    std::vector<std::uint32_t> last_from_;                    // by block: whose edge to it was added last
    TableBudget budget_;
};

}  // namespace

FlowGraph make_flow_graph(const Decoder& decoder, const FunctionCode& function, const CodeBytes& data,
                          const std::function<bool(std::uint64_t)>& does_not_return, const FlowOptions& options) {
    return Builder(decoder, function, data, does_not_return, options).build();
}

}  // namespace kymo::program
