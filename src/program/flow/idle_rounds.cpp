#include "program/flow/idle_rounds.h"

#include "program/flow/block_instructions.h"
#include "program/flow/loop_registers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace kymo::program {
namespace {

constexpr std::uint16_t kLeastElement = 4;           // of an element
constexpr std::uint32_t kMostInstructions = 256;     // of a loop
constexpr std::uint32_t kMostIdleInstructions = 48;  // of the ways on which nothing is done

struct BlockWork {
    bool acts = false;  // stores, calls, divides, changes memory for others to see
    bool calls = false;
    bool reads_elements = false;
    BlockRegisters general;
    BlockRegisters vectors;
    std::vector<Instruction> writers;  // of general registers
};

class RoundsOfLoop {
  public:
    RoundsOfLoop(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
                 std::uint32_t loop)
        : decoder_(decoder), code_(code), graph_(graph), header_(loops.loops[loop].header) {
        for (const std::uint32_t block : nodes_of(loops, loop, graph.blocks.size())) {
            all_.insert(block);
        }
        for (const std::uint32_t block : loops.loops[loop].own) {
            if (block < graph.blocks.size()) {
                own_.insert(block);
            }
        }
    }

    // Empty `idle`: it is no such loop.
    IdleLoop idle_rounds() {
        IdleLoop found;
        find_idle();
        if (idle_.empty() || idle_.size() == all_.size() || instructions(idle_) > kMostIdleInstructions ||
            !reads_elements() || carries_more() || !acts_behind_a_jump()) {
            return found;
        }
        for (const std::uint32_t block : all_) {
            auto& part = idle_.contains(block) ? found.idle : found.acting;
            part.push_back({graph_.blocks[block].begin, graph_.blocks[block].end});
            const auto own = works_.find(block);
            found.acts_long = found.acts_long || own == works_.end() || own->second.calls;
        }
        return found;
    }

  private:
    std::uint32_t instructions(const std::set<std::uint32_t>& blocks) const {
        std::uint32_t sum = 0;
        for (const std::uint32_t block : blocks) {
            sum += graph_.blocks[block].instructions;
        }
        return sum;
    }

    BlockWork work_of(std::uint32_t number) const {
        BlockWork work;
        const bool is_read = each_instruction(
            decoder_, code_, graph_, graph_.blocks[number], [&](std::uint64_t /*address*/, const Instruction& in) {
                work.calls = work.calls || is_call(in.kind);
                work.acts = work.acts || is_call(in.kind) || in.writes_memory || in.is_locked || in.is_pause ||
                            in.is_division || (in.writes_other && in.vector_writes == 0 && in.vector_reads == 0);
                for (std::size_t i = 0; i < in.memory_operands; ++i) {
                    work.reads_elements =
                        work.reads_elements || (in.memory[i].is_read && in.memory[i].width >= kLeastElement);
                }
                work.general.add(in.reads, in.writes);
                work.vectors.add(in.vector_reads, in.vector_writes);
                if (in.writes != 0) {
                    work.writers.push_back(in);
                }
            });
        work.acts = work.acts || !is_read;
        return work;
    }

    // Blocks that do nothing and lie on a way from the header round to it through such blocks alone.
    void find_idle() {
        if (instructions(own_) > kMostInstructions) {
            return;
        }
        std::set<std::uint32_t> quiet;
        for (const std::uint32_t block : own_) {
            works_[block] = work_of(block);
            if (!works_[block].acts) {
                quiet.insert(block);
            }
        }
        if (!quiet.contains(header_)) {
            return;
        }
        std::set<std::uint32_t> reached = {header_};
        std::set<std::uint32_t> returning;
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::uint32_t block : quiet) {
                for (const BlockEdge& edge : graph_.edges_of(block)) {
                    if (reached.contains(block) && quiet.contains(edge.to)) {
                        changed = reached.insert(edge.to).second || changed;
                    }
                    if (edge.to == header_ || returning.contains(edge.to)) {
                        changed = returning.insert(block).second || changed;
                    }
                }
            }
        }
        std::set_intersection(reached.begin(), reached.end(), returning.begin(), returning.end(),
                              std::inserter(idle_, idle_.begin()));
        if (!idle_.contains(header_)) {
            idle_.clear();
        }
    }

    bool reads_elements() const {
        return std::any_of(idle_.begin(), idle_.end(),
                           [&](std::uint32_t block) { return works_.at(block).reads_elements; });
    }

    // Anything but what counts rounds or follows pointers.
    bool carries_more() const {
        LoopRegisters general;
        LoopRegisters vectors;
        std::map<std::uint8_t, std::vector<Instruction>> writers;
        for (const std::uint32_t block : idle_) {
            const BlockWork& work = works_.at(block);
            general[block] = work.general;
            vectors[block] = work.vectors;
            for (const Instruction& in : work.writers) {
                for (std::uint32_t left = in.writes; left != 0; left &= left - 1) {
                    writers[static_cast<std::uint8_t>(std::countr_zero(left))].push_back(in);
                }
            }
        }
        if ((live_at_header(graph_, vectors, header_) & written_in(vectors)) != 0) {
            return true;
        }
        std::uint32_t carried = live_at_header(graph_, general, header_) & written_in(general);
        if (carried == 0) {
            return true;  // it looks at the same elements each round
        }
        for (std::uint32_t left = carried; left != 0; left &= left - 1) {
            const auto reg = static_cast<std::uint8_t>(std::countr_zero(left));
            const auto& own = writers[reg];
            const bool goes_on = std::all_of(own.begin(), own.end(), [&](const Instruction& in) {
                return is_step(in, reg) || follows(in, reg) || is_copy_that_goes_on(in, reg, writers);
            });
            if (!goes_on) {
                return true;
            }
        }
        return false;
    }

    static bool is_step(const Instruction& in, std::uint8_t reg) {
        return (in.operation == Operation::kSum || in.operation == Operation::kStep) && in.destination == reg &&
               in.source == reg && in.source2 == kNoRegister && in.memory_operands == 0;
    }
    static bool follows(const Instruction& in, std::uint8_t reg) {
        return in.operation == Operation::kLoad && in.destination == reg && in.memory_operands == 1 &&
               (in.memory[0].base == reg || in.memory[0].index == reg);
    }
    // "next = at->next; …; at = next", "i = j; j = i + 1".
    static bool is_copy_that_goes_on(const Instruction& in, std::uint8_t reg,
                                     const std::map<std::uint8_t, std::vector<Instruction>>& writers) {
        const bool is_copy = in.operation == Operation::kSum && in.destination == reg && in.source2 == kNoRegister &&
                             in.memory_operands == 0 && in.source != kNoRegister && in.constant == 0;
        const auto from = is_copy ? writers.find(in.source) : writers.end();
        return from != writers.end() &&
               std::all_of(from->second.begin(), from->second.end(), [&](const Instruction& before) {
                   const bool is_next =
                       (before.operation == Operation::kSum || before.operation == Operation::kStep) &&
                       before.source == reg && before.source2 == kNoRegister && before.memory_operands == 0;
                   const bool is_pointer = before.operation == Operation::kLoad && before.memory_operands == 1 &&
                                           (before.memory[0].base == reg || before.memory[0].index == reg);
                   return is_next || is_pointer || is_step(before, in.source);
               });
    }

    // A jump on an idle way leads to what else the loop does.
    bool acts_behind_a_jump() const {
        return std::any_of(idle_.begin(), idle_.end(), [&](std::uint32_t block) {
            const auto edges = graph_.edges_of(block);
            return graph_.blocks[block].how == BlockEnd::kConditionalJump &&
                   std::any_of(edges.begin(), edges.end(), [&](const BlockEdge& edge) {
                       return all_.contains(edge.to) && !idle_.contains(edge.to);
                   });
        });
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    std::uint32_t header_;
    std::set<std::uint32_t> all_;
    std::set<std::uint32_t> own_;
    std::set<std::uint32_t> idle_;
    std::map<std::uint32_t, BlockWork> works_;
};

}  // namespace

std::vector<IdleLoop> idle_loops(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                 const Loops& loops) {
    std::vector<IdleLoop> found;
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
        if (loops.loops[loop].irreducible) {
            continue;
        }
        IdleLoop one = RoundsOfLoop(decoder, code, graph, loops, loop).idle_rounds();
        if (!one.idle.empty()) {
            found.push_back(std::move(one));
        }
    }
    return found;
}

}  // namespace kymo::program
