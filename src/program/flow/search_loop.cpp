#include "program/flow/search_loop.h"

#include "program/flow/block_instructions.h"
#include "program/flow/calls_x86_64.h"
#include "program/flow/loop_registers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <vector>

namespace kymo::program {
namespace {

constexpr std::uint16_t kLeastBytes = 4;  // of what is compared

std::uint32_t address_registers(const Instruction& in) {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < in.memory_operands; ++i) {
        result |= register_bit(in.memory[i].base) | register_bit(in.memory[i].index);
    }
    return result;
}

bool reads_element(const Instruction& in) {
    return in.memory_operands == 1 && in.memory[0].is_read && in.memory[0].width >= kLeastBytes &&
           !in.memory[0].index_is_vector;
}

// Whole pointers and numbers of 32 bits.
bool is_copy(const Instruction& in) {
    constexpr std::uint8_t kIndexBits = 32;
    const bool is_whole =
        (in.operation == Operation::kSum && in.source2 == kNoRegister) || in.operation == Operation::kStep;
    const bool is_extended = in.operation == Operation::kZeroExtend || in.operation == Operation::kSignExtend;
    return in.memory_operands == 0 && in.source != kNoRegister &&
           ((is_whole && in.constant == 0) || (is_extended && in.bits >= kIndexBits));
}

class SearchLoop {
  public:
    SearchLoop(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loop& loop)
        : decoder_(decoder), code_(code), graph_(graph), header_(loop.header) {
        for (const std::uint32_t block : loop.own) {
            if (block < graph.blocks.size()) {
                blocks_.push_back(block);
            }
        }
    }

    // Without stores, registers that are not general ones, and more than one call.
    bool take() {
        bool only_reads = true;
        for (const std::uint32_t number : blocks_) {
            BlockRegisters& own = registers_[number];
            const bool is_read = each_instruction(
                decoder_, code_, graph_, graph_.blocks[number],
                [&](std::uint64_t /*address*/, const Instruction& in) {
                    const std::uint32_t writes = is_call(in.kind) ? behind_return(in.writes) : in.writes;
                    calls_ += is_call(in.kind) ? 1 : 0;
                    only_reads = only_reads && (is_call(in.kind) || (!in.writes_memory && !in.writes_other));
                    own.add(in.reads, writes);
                    for (std::uint32_t left = writes; left != 0; left &= left - 1) {
                        writers_[static_cast<std::uint8_t>(std::countr_zero(left))].push_back(in);
                    }
                });
            only_reads = only_reads && is_read;
        }
        written_ = written_in(registers_);
        return only_reads && calls_ <= 1;
    }

    bool makes_call() const { return calls_ != 0; }

    bool goes_on_by(std::span<const Induction> counting) const {
        std::uint32_t steps = 0;
        for (const Induction& each : counting) {
            steps |= register_bit(each.reg);
        }
        std::uint32_t carried = live_at_header(graph_, registers_, header_) & written_;
        if (carried == 0) {
            return false;
        }
        for (carried &= ~steps; carried != 0; carried &= carried - 1) {
            if (!follows_itself(static_cast<std::uint8_t>(std::countr_zero(carried)))) {
                return false;
            }
        }
        return true;
    }

    bool ends_where_equal() const {
        return std::any_of(blocks_.begin(), blocks_.end(), [&](std::uint32_t number) {
            return leaves_where_equal(number) && compares_at_end(graph_.blocks[number]);
        });
    }

  private:
    bool is_inside(std::uint32_t block) const { return registers_.contains(block); }

    // "node = node->next", "row = next[row]", perhaps by way of other registers, and always in the same way: a tree's
    // search, which goes on with one of two, halves what is left each round.
    bool follows_itself(std::uint8_t reg) const {
        constexpr int kMostCopies = 4;
        std::uint8_t at = reg;
        for (int i = 0; i < kMostCopies; ++i) {
            const auto writers = writers_.find(at);
            if (writers == writers_.end() || writers->second.size() != 1) {
                return false;
            }
            const Instruction& in = writers->second.front();
            if (in.operation == Operation::kLoad && in.memory_operands == 1) {
                const std::uint32_t others = address_registers(in) & ~same_as(reg);
                return others != address_registers(in) && (others & written_) == 0;
            }
            if (!is_copy(in)) {
                return false;
            }
            at = in.source;
        }
        return false;
    }

    // It, and its copies.
    std::uint32_t same_as(std::uint8_t reg) const {
        std::uint32_t same = register_bit(reg);
        for (const auto& [copy, writers] : writers_) {
            if (writers.size() == 1 && is_copy(writers.front()) && writers.front().source == reg) {
                same |= register_bit(copy);
            }
        }
        return same;
    }

    // Of the two ways behind the block's jump one stays inside, and the other one is taken where the last
    // comparison's sides are equal.
    bool leaves_where_equal(std::uint32_t number) const {
        const Block& block = graph_.blocks[number];
        std::optional<Instruction> last;
        each_instruction(decoder_, code_, graph_, block,
                         [&](std::uint64_t /*address*/, const Instruction& in) { last = in; });
        if (!last || last->kind != InstructionKind::kConditionalJump ||
            (last->condition != Condition::kEqual && last->condition != Condition::kNotEqual)) {
            return false;
        }
        const auto edges = graph_.edges_of(number);
        const auto stays_inside = [&](const BlockEdge& edge) { return is_inside(edge.to); };
        const auto stays = std::find_if(edges.begin(), edges.end(), stays_inside);
        if (stays == edges.end() || std::any_of(stays + 1, edges.end(), stays_inside)) {
            return false;
        }
        const bool stays_by_jump = last->has_target && graph_.blocks[stays->to].begin == last->target;
        return stays_by_jump ? last->condition == Condition::kNotEqual : last->condition == Condition::kEqual;
    }

    // Whether the block's last comparison is of an element with a value that stays, or of a call's result with 0.
    bool compares_at_end(const Block& block) const {
        bool is_key = false;
        std::uint32_t elements = 0;  // registers that hold what was read in this block
        each_instruction(decoder_, code_, graph_, block, [&](std::uint64_t /*address*/, const Instruction& in) {
            if (is_call(in.kind)) {
                is_key = false;
                elements = register_bit(kResult);
            } else if (in.writes_flags) {
                const std::uint32_t values = in.reads & ~address_registers(in);
                const bool is_comparison = in.kind == InstructionKind::kPlain && in.writes == 0;
                const std::uint32_t kept = values & ~written_;
                const bool with_memory =
                    reads_element(in) && (address_registers(in) & written_) != 0 && values == kept;
                const bool with_register =
                    in.memory_operands == 0 && (values & elements) != 0 && (values & ~elements) == kept;
                is_key = is_comparison && (makes_call() ? in.memory_operands == 0 &&
                                                              values == register_bit(kResult) && elements == values
                                                        : std::popcount(kept) == 1 && (with_memory || with_register));
            }
            if (is_call(in.kind)) {
                return;
            }
            const bool is_element =
                in.operation == Operation::kLoad && reads_element(in) && (address_registers(in) & written_) != 0;
            elements = (elements & ~in.writes) | (is_element ? register_bit(in.destination) : 0);
        });
        return is_key;
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    std::uint32_t header_;
    std::vector<std::uint32_t> blocks_;
    LoopRegisters registers_;
    std::uint32_t written_ = 0;
    std::uint32_t calls_ = 0;
    std::map<std::uint8_t, std::vector<Instruction>> writers_;  // by register
};

}  // namespace

Search search_of(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
                 std::uint32_t loop, std::span<const Induction> counting) {
    SearchLoop search(decoder, code, graph, loops.loops[loop]);
    const bool is_one = search.take() && search.goes_on_by(counting) && search.ends_where_equal();
    return !is_one ? Search::kNone : search.makes_call() ? Search::kByCall : Search::kOwn;
}

}  // namespace kymo::program
