#include "program/flow/repeated_calls.h"

#include "program/flow/block_instructions.h"
#include "program/flow/calls_x86_64.h"
#include "program/flow/slow_work.h"

#include <algorithm>
#include <utility>

namespace kymo::program {
namespace {

using EffectsOf = std::function<const FunctionEffects*(std::uint64_t)>;
using Mask = std::uint32_t;

class RepeatingLoop {
  public:
    RepeatingLoop(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
                  std::uint32_t loop, const CodeBytes& constants, const EffectsOf& effects)
        : decoder_(decoder),
          code_(code),
          graph_(graph),
          constants_(constants),
          effects_(effects),
          header_(loops.loops[loop].header),
          blocks_(nodes_of(loops, loop, graph.blocks.size())) {
        read();
        counts_ = is_decoded_ && has_pure_call_ && counts_rounds(loops);
        if (counts_) {
            find_stack_addresses();
        }
        memory_is_steady_ = memory_is_known_ && (stored_.empty() || !takes_stack_address_);
    }

    void find(std::vector<std::uint64_t>* calls) const {
        if (!counts_) {
            return;
        }
        Values begin;
        begin.others_are_steady = memory_is_known_ || !takes_stack_address_;
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            begin.general[reg] = (writes_ >> reg & 1U) == 0 ? Value::few(1, reg) : Value();
            begin.vectors[reg] =
                (vector_writes_ >> reg & 1U) == 0 ? Value::few(1, Values::kRegisters + reg) : Value();
        }
        begin.general[kStackPointer] = Value::stack(0);
        for (const MemoryOperand& stored : stored_) {
            begin.put(stored.displacement, stored.width, {});
        }
        const ValueFlowInput input{
            .decoder = decoder_,
            .code = code_,
            .graph = graph_,
            .constants = constants_,
            .blocks = blocks_,
            .first = header_,
            .memory_is_steady = memory_is_steady_,
            .call = [this](const Instruction& in, const Values& values) { return behind_call(in, values); }};
        const ValueFlow flow(input, begin);
        flow.each([&](std::uint32_t block, std::uint64_t address, const Instruction& in, const Values& values) {
            const FunctionEffects* const called = effects_of(in);
            if (called != nullptr && (memory_is_steady_ || !called->reads_memory) &&
                arguments(*called, values).is_few() && is_result_used(block, address)) {
                calls->push_back(address);
            }
        });
    }

  private:
    const FunctionEffects* effects_of(const Instruction& in) const {
        const bool is_direct = in.kind == InstructionKind::kCall && in.has_target;
        const FunctionEffects* const called = is_direct ? effects_(in.target) : nullptr;
        return called != nullptr && called->is_pure ? called : nullptr;
    }

    // Whether a register is only ever changed by one addition of a constant, each round: in the loop's first block,
    // or in one that ends a round. Unlike induction.h it may be one that callers keep, if no callee changes it.
    bool counts_rounds(const Loops& loops) const {
        return std::any_of(steps_.begin(), steps_.end(), [&](const auto& step) {
            const auto& [reg, block] = step;
            const bool is_latch = std::find(loops.back_edges.begin(), loops.back_edges.end(),
                                            Digraph::Edge{block, header_}) != loops.back_edges.end();
            return std::count(written_.begin(), written_.end(), reg) == 1 && (block == header_ || is_latch);
        });
    }

    // What the loop writes. Of the stack: where it lies from the stack pointer, which must not change.
    void read() {
        for (const std::uint32_t number : blocks_) {
            const bool is_whole =
                each_instruction(decoder_, code_, graph_, graph_.blocks[number],
                                 [&](std::uint64_t /*address*/, const Instruction& in) { note(number, in); });
            is_decoded_ = is_decoded_ && is_whole;
        }
    }

    void note_writes(std::uint32_t block, const Instruction& in, Mask writes) {
        writes_ |= writes;
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            if ((writes >> reg & 1U) != 0) {
                written_.push_back(reg);
            }
        }
        const bool is_step = (in.operation == Operation::kSum || in.operation == Operation::kStep) &&
                             in.source == in.destination && in.source2 == kNoRegister && in.constant != 0;
        if (is_step) {
            steps_.emplace_back(in.destination, block);
        }
    }

    void note(std::uint32_t block, const Instruction& in) {
        if (const FunctionEffects* const called = effects_of(in)) {
            has_pure_call_ = true;
            note_writes(block, in, called->writes);
            vector_writes_ |= called->vector_writes;
            return;
        }
        const Mask writes = is_call(in.kind) ? behind_return(in.writes) : in.writes;
        note_writes(block, in, writes);
        vector_writes_ |= is_call(in.kind) ? ~0U : in.vector_writes;
        is_decoded_ = is_decoded_ && (writes >> kStackPointer & 1U) == 0;
        if (!in.writes_memory) {
            return;
        }
        bool is_slot = in.memory_operands > 0;
        for (std::size_t i = 0; i < in.memory_operands; ++i) {
            const MemoryOperand& operand = in.memory[i];
            if (operand.is_written && operand.base == kStackPointer && operand.index == kNoRegister) {
                stored_.push_back(operand);
            } else {
                is_slot = is_slot && !operand.is_written;
            }
        }
        memory_is_known_ = memory_is_known_ && is_slot;
    }

    // Whether an instruction of the loop reads the call's result: in rax or in the first vector register.
    bool is_result_used(std::uint32_t block, std::uint64_t call) const {
        std::vector<bool> seen(graph_.blocks.size());
        std::vector<std::pair<std::uint32_t, std::uint64_t>> open{{block, call + 1}};
        while (!open.empty()) {
            const auto [number, from] = open.back();
            open.pop_back();
            const Block& at = graph_.blocks[number];
            bool is_gone = false;
            for (std::uint32_t i = at.first_instruction; i < at.first_instruction + at.instructions && !is_gone;
                 ++i) {
                Instruction in;
                const std::uint64_t address = graph_.instructions[i];
                if (address < from || !decoder_.decode(code_.from(address), address, &in)) {
                    continue;
                }
                if (!is_call(in.kind) && !is_push(in) &&
                    ((in.reads >> kResult & 1U) != 0 || (in.vector_reads >> kResult & 1U) != 0)) {
                    return true;
                }
                is_gone = is_call(in.kind) || (in.writes >> kResult & 1U) != 0;
            }
            for (const BlockEdge& edge : graph_.edges_of(number)) {
                const bool is_inside = std::find(blocks_.begin(), blocks_.end(), edge.to) != blocks_.end();
                if (!is_gone && is_inside && !seen[edge.to]) {
                    seen[edge.to] = true;
                    open.emplace_back(edge.to, graph_.blocks[edge.to].begin);
                }
            }
        }
        return false;
    }

    // Slots whose address the function takes may be changed through it.
    void find_stack_addresses() {
        for (const std::uint64_t address : graph_.instructions) {
            Instruction in;
            if (decoder_.decode(code_.from(address), address, &in)) {
                takes_stack_address_ =
                    takes_stack_address_ || (in.source == kStackPointer && in.destination != kStackPointer &&
                                             in.operation == Operation::kSum);
            }
        }
    }

    // Of all arguments together.
    static Value arguments(const FunctionEffects& called, const Values& values) {
        std::uint64_t count = 1;
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            for (const auto& [mask, held] : {std::pair(called.arguments, values.general[reg]),
                                             std::pair(called.vector_arguments, values.vectors[reg])}) {
                if ((mask >> reg & 1U) != 0) {
                    count *= held.is_few() ? held.count : kFewValues + 1;
                }
            }
            count = std::min<std::uint64_t>(count, kFewValues + 1);
        }
        return Value::few(count, 0);
    }

    CallValues behind_call(const Instruction& in, const Values& values) const {
        if (const FunctionEffects* const called = effects_of(in)) {
            const bool is_steady = memory_is_steady_ || !called->reads_memory;
            const Value given = arguments(*called, values);
            return {.writes = called->writes,
                    .vector_writes = called->vector_writes,
                    .keeps_memory = true,
                    .result = is_steady && given.is_few()
                                  ? Value::few(given.count, static_cast<std::int64_t>(in.target))
                                  : Value()};
        }
        return {.writes = behind_return(in.writes),
                .vector_writes = ~0U,
                .keeps_memory = !takes_stack_address_,
                .result = {}};
    }

    const Decoder& decoder_;
    const CodeBytes& code_;
    const FlowGraph& graph_;
    const CodeBytes& constants_;
    const EffectsOf& effects_;
    std::uint32_t header_;
    std::vector<std::uint32_t> blocks_;
    bool is_decoded_ = true;
    bool has_pure_call_ = false;
    bool counts_ = false;
    bool memory_is_known_ = true;  // stores go to slots of the stack alone, and calls are of pure functions
    bool memory_is_steady_ = true;
    bool takes_stack_address_ = false;
    Mask writes_ = 0;
    std::vector<std::uint8_t> written_;                          // a register by each instruction that writes it
    std::vector<std::pair<std::uint8_t, std::uint32_t>> steps_;  // register and block
    Mask vector_writes_ = 0;
    std::vector<MemoryOperand> stored_;
};

}  // namespace

std::vector<std::uint64_t> repeated_calls(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                          const Loops& loops, const CodeBytes& constants, std::uint64_t entry,
                                          const EffectsOf& effects) {
    std::vector<std::uint64_t> calls;
    if (const FunctionEffects* const own = effects(entry)) {
        calls = own->overlapping_calls;
    }
    std::vector<bool> has_inner(loops.loops.size());
    for (const Loop& loop : loops.loops) {
        if (loop.parent != kNone) {
            has_inner[loop.parent] = true;
        }
    }
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
        std::uint64_t instructions = 0;
        for (const std::uint32_t block : loops.loops[loop].own) {
            instructions += block < graph.blocks.size() ? graph.blocks[block].instructions : 0;
        }
        if (!has_inner[loop] && !loops.loops[loop].irreducible && instructions <= kSlowLoopInstructions) {
            RepeatingLoop(decoder, code, graph, loops, loop, constants, effects).find(&calls);
        }
    }
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    return calls;
}

}  // namespace kymo::program
