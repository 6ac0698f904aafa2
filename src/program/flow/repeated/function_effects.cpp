#include "program/flow/repeated/function_effects.h"

#include "program/flow/calls_x86_64.h"

#include <algorithm>
#include <numeric>

namespace kymo::program {
namespace {

using Mask = std::uint32_t;

constexpr std::int64_t kCallersPart = 8;  // above the return address

// What a function compares before it returns, to see whether its part of the stack was overwritten.
bool is_stack_guard(const MemoryOperand& operand) {
    return operand.segment == Segment::kFs && operand.base == kNoRegister && operand.index == kNoRegister &&
           operand.displacement == 0x28;
}

struct Call {
    std::uint32_t block = 0;
    std::uint64_t address = 0;
    Values values;
};

class EffectsReader {
  public:
    EffectsReader(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const CodeBytes& constants,
                  std::uint64_t entry)
        : decoder_(decoder), code_(code), graph_(graph), constants_(constants), entry_(entry) {}

    FunctionEffects read() {
        const std::uint32_t first = graph_.block_at(entry_);
        if (first == kNone || graph_.too_large || graph_.instructions.size() > kEffectInstructions ||
            !graph_.unresolved.empty()) {
            return {};
        }
        for (std::uint32_t i = 0; i < graph_.blocks.size(); ++i) {
            if (graph_.blocks[i].reached) {
                blocks_.push_back(i);
            }
        }
        Values begin;
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            begin.general[reg] = Value::origin(reg);
        }
        begin.general[kStackPointer] = Value::stack(0);
        const ValueFlowInput input{.decoder = decoder_,
                                   .code = code_,
                                   .graph = graph_,
                                   .constants = constants_,
                                   .blocks = blocks_,
                                   .first = first,
                                   .is_steady = [](const MemoryOperand&) { return true; },
                                   .call =
                                       [](const Instruction& in, const Values&) {
                                           return CallValues{.writes = behind_return(in.writes),
                                                             .vector_writes = ~0U,
                                                             .keeps_memory = true,
                                                             .result = {},
                                                             .slots = {}};
                                       }};
        const ValueFlow flow(input, begin);
        effects_.is_pure = flow.is_decoded() && !enters_again(first);
        flow.each([&](std::uint32_t block, std::uint64_t address, const Instruction& in, const Values& values) {
            note(block, address, in, values);
        });
        for (const std::uint32_t number : blocks_) {
            const Block& block = graph_.blocks[number];
            effects_.is_pure =
                effects_.is_pure && !(block.leaves && block.how != BlockEnd::kReturn) && block.how != BlockEnd::kCut;
        }
        effects_.writes &= ~kKept;
        if (effects_.is_pure) {
            find_arguments(first);
            find_overlapping();
        }
        return std::move(effects_);
    }

  private:
    // A way back to the first block changes what arguments are there.
    bool enters_again(std::uint32_t first) const {
        return std::any_of(blocks_.begin(), blocks_.end(), [&](std::uint32_t block) {
            const auto edges = graph_.edges_of(block);
            return std::any_of(edges.begin(), edges.end(), [&](const BlockEdge& edge) { return edge.to == first; });
        });
    }

    void note(std::uint32_t block, std::uint64_t address, const Instruction& in, const Values& values) {
        effects_.writes |= in.writes;
        effects_.vector_writes |= in.vector_writes;
        const bool ends_program = graph_.blocks[block].how == BlockEnd::kNoReturnCall &&
                                  address == graph_.last_instruction(graph_.blocks[block]);
        if (is_call(in.kind) && !ends_program) {
            const bool is_own = in.kind == InstructionKind::kCall && in.has_target && in.target == entry_;
            effects_.is_pure = effects_.is_pure && is_own;
            effects_.vector_writes = ~0U;
            calls_.push_back({block, address, values});
            return;
        }
        if (is_call(in.kind) || is_push(in) || is_pop(in)) {
            return;
        }
        // No operation, or a hint, has an operand as well.
        const bool is_used = in.writes != 0 || in.vector_writes != 0 || in.writes_flags || in.writes_other ||
                             in.writes_memory || in.kind != InstructionKind::kPlain;
        bool is_written = false;
        for (std::size_t i = 0; i < in.memory_operands; ++i) {
            const MemoryOperand& operand = in.memory[i];
            const StackPlace at = stack_place(operand, values);
            const bool is_callers = at.is_known && at.place >= kCallersPart;
            const bool is_constant = operand.image_relative && operand.index == kNoRegister &&
                                     constants_.contains(static_cast<std::uint64_t>(operand.displacement));
            is_written = is_written || operand.is_written;
            effects_.is_pure = effects_.is_pure && (!operand.is_written || (at.is_stack && !is_callers)) &&
                               !(operand.is_read && is_callers);
            effects_.reads_memory = effects_.reads_memory || (is_used && operand.is_read && !at.is_stack &&
                                                              !is_constant && !is_stack_guard(operand));
        }
        const bool writes_unseen = in.writes_memory && !is_written;
        const bool has_no_source = in.kind == InstructionKind::kPlain && in.writes != 0 && in.reads == 0 &&
                                   in.vector_reads == 0 && in.memory_operands == 0 &&
                                   in.operation == Operation::kOther;
        effects_.is_pure = effects_.is_pure && !writes_unseen && !in.is_locked && !has_no_source;
    }

    // Registers that are read before they are written, on any way. A call of the function itself reads its arguments.
    void find_arguments(std::uint32_t first) {
        Mask general = 0;
        Mask vectors = 0;
        for (bool changed = true; changed;) {
            const auto [now, now_vectors] = live_at(first, general, vectors);
            changed = (now & kArguments) != general || (now_vectors & kVectorArguments) != vectors;
            general = now & kArguments;
            vectors = now_vectors & kVectorArguments;
        }
        effects_.arguments = general;
        effects_.vector_arguments = vectors;
    }

    std::pair<Mask, Mask> live_at(std::uint32_t first, Mask arguments, Mask vector_arguments) const {
        std::map<std::uint32_t, std::pair<Mask, Mask>> live;
        for (bool changed = true; changed;) {
            changed = false;
            for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
                std::pair<Mask, Mask> now;
                for (const BlockEdge& edge : graph_.edges_of(*block)) {
                    now.first |= live[edge.to].first;
                    now.second |= live[edge.to].second;
                }
                const Block& own = graph_.blocks[*block];
                for (std::uint32_t i = own.first_instruction + own.instructions; i-- > own.first_instruction;) {
                    Instruction in;
                    if (!decoder_.decode(code_.from(graph_.instructions[i]), graph_.instructions[i], &in)) {
                        continue;
                    }
                    now.first &= ~in.writes;
                    now.second &= is_call(in.kind) ? 0 : ~in.vector_writes;
                    now.first |= is_call(in.kind) ? arguments : is_push(in) ? 0 : in.reads;
                    now.second |= is_call(in.kind) ? vector_arguments : in.vector_reads;
                }
                changed = changed || now != live[*block];
                live[*block] = now;
            }
        }
        return live[first];
    }

    bool is_near(const Call& call) const {
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            const bool is_argument = (effects_.arguments >> reg & 1U) != 0;
            const Value& value = call.values.general[reg];
            if (is_argument && value.kind != Value::Kind::kOrigin && !(value.is_few() && value.count == 1)) {
                return false;
            }
        }
        return true;
    }

    // From behind a call to another one, or back to it.
    bool leads_to(const Call& from, const Call& to) const {
        if (from.block == to.block && to.address > from.address) {
            return true;
        }
        std::vector<bool> seen(graph_.blocks.size());
        std::vector<std::uint32_t> open{from.block};
        while (!open.empty()) {
            const std::uint32_t block = open.back();
            open.pop_back();
            for (const BlockEdge& edge : graph_.edges_of(block)) {
                if (edge.to == to.block) {
                    return true;
                }
                if (!seen[edge.to]) {
                    seen[edge.to] = true;
                    open.push_back(edge.to);
                }
            }
        }
        return false;
    }

    void find_overlapping() {
        if (effects_.vector_arguments != 0) {
            return;  // their values are not followed
        }
        std::erase_if(calls_, [&](const Call& call) { return !is_near(call); });
        for (const Call& call : calls_) {
            const bool overlaps = std::any_of(calls_.begin(), calls_.end(), [&](const Call& other) {
                return leads_to(call, other) || leads_to(other, call);
            });
            if (overlaps) {
                effects_.overlapping_calls.push_back(call.address);
            }
        }
        std::sort(effects_.overlapping_calls.begin(), effects_.overlapping_calls.end());
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    const CodeBytes& constants_;
    std::uint64_t entry_;
    std::vector<std::uint32_t> blocks_;
    std::vector<Call> calls_;
    FunctionEffects effects_;
};

}  // namespace

FunctionEffects function_effects(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                 const CodeBytes& constants, std::uint64_t entry) {
    if (&decoder != &x86_64_decoder()) {
        return {};
    }
    return EffectsReader(decoder, code, graph, constants, entry).read();
}

}  // namespace kymo::program
