#include "program/flow/repeated/repeated_calls.h"

#include "program/flow/block_instructions.h"
#include "program/flow/calls_x86_64.h"
#include "program/flow/slow_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kymo::program {
namespace {

using EffectsOf = std::function<const FunctionEffects*(std::uint64_t)>;
using Mask = std::uint32_t;

constexpr std::uint16_t kResultBytes = 8;  // FunctionEffects::results_by

// "r = sp + constant", or another sum with the stack pointer.
bool is_stack_address(const Instruction& in) {
    return in.source == kStackPointer && in.destination != kStackPointer && in.operation == Operation::kSum;
}

// Registers that hold an address of the function's part of the stack: bytes from the stack pointer.
using StackRegisters = std::map<std::uint8_t, std::int64_t>;

// At the begin of a block, by all ways that lead there.
StackRegisters stack_registers(const ValueFlow& function, std::uint32_t block) {
    StackRegisters found;
    const Values* const values = function.at_begin(block);
    if (values == nullptr || values->general[kStackPointer].kind != Value::Kind::kStack) {
        return found;
    }
    for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
        if (reg != kStackPointer && values->general[reg].kind == Value::Kind::kStack) {
            found[reg] = values->general[reg].number - values->general[kStackPointer].number;
        }
    }
    return found;
}

// Of a function as a whole; where it is too large, of nothing.
ValueFlow flow_of_function(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                           const CodeBytes& constants, std::uint64_t entry) {
    const std::uint32_t first = graph.block_at(entry);
    const bool is_small = first != kNone && graph.instructions.size() <= kEffectInstructions;
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t i = 0; i < graph.blocks.size(); ++i) {
        if (is_small && graph.blocks[i].reached) {
            blocks.push_back(i);
        }
    }
    Values begin;
    begin.general[kStackPointer] = Value::stack(0);
    return ValueFlow(
        {.decoder = decoder,
         .code = code,
         .graph = graph,
         .constants = constants,
         .blocks = blocks,
         .first = first,
         .is_steady = {},
         .call =
             [](const Instruction& in, const Values&) {
                 return CallValues{
                     .writes = behind_return(in.writes), .vector_writes = ~0U, .result = {}, .slots = {}};
             }},
        begin);
}

class RepeatingLoop {
  public:
    RepeatingLoop(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph, const Loops& loops,
                  std::uint32_t loop, const CodeBytes& constants, const EffectsOf& effects,
                  const std::function<const ValueFlow&()>& function)
        : decoder_(decoder),
          code_(code),
          graph_(graph),
          constants_(constants),
          effects_(effects),
          header_(loops.loops[loop].header),
          blocks_(nodes_of(loops, loop, graph.blocks.size())) {
        read_writes();
        if (has_pure_call_) {
            stack_registers_ = stack_registers(function(), header_);
            std::erase_if(stack_registers_, [&](const auto& each) { return !is_kept(each.first); });
        }
        read();
        counts_ = is_decoded_ && has_pure_call_ && counts_rounds(loops);
        if (counts_) {
            find_stack_addresses();
        }
        memory_is_steady_ = memory_is_known_ && (stored_.empty() || !takes_stack_address_);
        fields_are_known_ = only_known_calls_ && sort_stores();
    }

    void find(std::vector<std::uint64_t>* calls) const {
        if (!counts_) {
            return;
        }
        const ValueFlowInput input{
            .decoder = decoder_,
            .code = code_,
            .graph = graph_,
            .constants = constants_,
            .blocks = blocks_,
            .first = header_,
            .is_steady = [this](const MemoryOperand& operand) { return is_steady(operand); },
            .call = [this](const Instruction& in, const Values& values) { return behind_call(in, values); }};
        Values begin = values_at_header();
        std::optional<ValueFlow> settled;
        do {
            settled.emplace(input, begin);
        } while (forget_changed(*settled, &begin));
        const ValueFlow& flow = *settled;
        flow.each([&](std::uint32_t block, std::uint64_t address, const Instruction& in, const Values& values) {
            const FunctionEffects* const called = effects_of(in);
            if (called != nullptr && (memory_is_steady_ || !called->reads_memory) &&
                arguments(*called, values).is_few() && (called->results_by != 0 || is_result_used(block, address))) {
                calls->push_back(address);
            }
        });
    }

  private:
    // All registers hold what they held the round before, as far as the loop shows nothing else (forget_changed()).
    Values values_at_header() const {
        Values begin;
        begin.others_are_steady = memory_is_known_ || fields_are_known_ || !takes_stack_address_;
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            begin.general[reg] = Value::few(1, reg);
            begin.vectors[reg] = Value::few(1, Values::kRegisters + reg);
        }
        begin.general[kStackPointer] = Value::stack(0);
        for (const auto& [reg, bytes] : stack_registers_) {
            begin.general[reg] = Value::stack(bytes);
        }
        for (const MemoryOperand& stored : stored_) {
            begin.put(stored.displacement, stored.width, {});
        }
        return begin;
    }

    static bool forget(const Value& at_end, Value* at_begin) {
        const bool is_changed = *at_begin != Value() && *at_begin != at_end;
        *at_begin = is_changed ? Value() : *at_begin;
        return is_changed;
    }

    // Forgets what registers hold at a round's begin and not at its end. Whether there are any.
    bool forget_changed(const ValueFlow& flow, Values* begin) const {
        bool is_any = false;
        for (const std::uint32_t block : blocks_) {
            const auto edges = graph_.edges_of(block);
            const bool is_end =
                std::any_of(edges.begin(), edges.end(), [&](const BlockEdge& edge) { return edge.to == header_; });
            if (!is_end || flow.at_begin(block) == nullptr) {
                continue;
            }
            const Values end = flow.at_end(block);
            for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
                is_any = forget(end.general[reg], &begin->general[reg]) || is_any;
                is_any = forget(end.vectors[reg], &begin->vectors[reg]) || is_any;
            }
        }
        return is_any;
    }

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

    template <typename Visit>
    void each(const Visit& visit) {
        for (const std::uint32_t number : blocks_) {
            stack_addresses_ = 0;
            const bool is_whole =
                each_instruction(decoder_, code_, graph_, graph_.blocks[number],
                                 [&](std::uint64_t /*address*/, const Instruction& in) { visit(number, in); });
            is_decoded_ = is_decoded_ && is_whole;
        }
    }

    // What registers the loop writes.
    void read_writes() {
        each([&](std::uint32_t block, const Instruction& in) {
            const FunctionEffects* const called = effects_of(in);
            has_pure_call_ = has_pure_call_ || called != nullptr;
            note_writes(block, in,
                        called != nullptr  ? called->writes
                        : is_call(in.kind) ? behind_return(in.writes)
                                           : in.writes);
        });
        is_decoded_ = is_decoded_ && (writes_ >> kStackPointer & 1U) == 0;
    }

    // Its calls, and where it stores. Of the stack: where it lies from the stack pointer, which must not change.
    void read() {
        each([&](std::uint32_t /*block*/, const Instruction& in) { note(in); });
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

    void note(const Instruction& in) {
        if (const FunctionEffects* const called = effects_of(in)) {
            only_known_calls_ = only_known_calls_ && (called->results_by & ~stack_addresses_) == 0;
            memory_is_known_ = memory_is_known_ && (called->results_by & ~stack_addresses_) == 0;
            stack_addresses_ = 0;
            return;
        }
        only_known_calls_ = only_known_calls_ && !is_call(in.kind);
        stack_addresses_ &= ~in.writes;
        if (const auto bytes = stack_address(in)) {
            // Where a call may put a result.
            stack_addresses_ |= register_bit(in.destination);
            stored_.push_back({.width = kResultBytes, .displacement = *bytes});
        }
        if (!in.writes_memory) {
            return;
        }
        bool is_slot = in.memory_operands > 0;
        for (std::size_t i = 0; i < in.memory_operands; ++i) {
            const MemoryOperand& operand = in.memory[i];
            const auto known = stack_registers_.find(operand.base);
            const bool is_stack = operand.base == kStackPointer || known != stack_registers_.end();
            if (operand.is_written && is_stack && operand.index == kNoRegister) {
                stored_.push_back(operand);
                stored_.back().displacement += operand.base == kStackPointer ? 0 : known->second;
            } else if (operand.is_written) {
                elsewhere_.push_back(operand);
                is_slot = false;
            }
        }
        only_known_calls_ = only_known_calls_ && in.memory_operands > 0;  // a push
        memory_is_known_ = memory_is_known_ && is_slot;
    }

    bool is_kept(std::uint8_t reg) const { return reg == kNoRegister || (writes_ >> reg & 1U) == 0; }

    // Whether all stores beside the stack's are to fields of what a register points to that the loop keeps, or to
    // addresses that move each round (rows of an array): those change a field once at most.
    bool sort_stores() {
        const auto moves = [&](std::uint8_t reg) {
            return std::count(written_.begin(), written_.end(), reg) == 1 &&
                   std::any_of(steps_.begin(), steps_.end(), [&](const auto& step) { return step.first == reg; });
        };
        for (const MemoryOperand& operand : elsewhere_) {
            if (operand.index_is_vector) {
                return false;
            }
            if (operand.index == kNoRegister && is_kept(operand.base)) {
                fields_.push_back(operand);
            } else if (!(moves(operand.base) && is_kept(operand.index)) &&
                       !(moves(operand.index) && is_kept(operand.base))) {
                return false;
            }
        }
        return true;
    }

    // Whether nothing in the loop changes what such an operand reads. Two pointers may be equal.
    bool is_steady(const MemoryOperand& operand) const {
        if (memory_is_steady_) {
            return true;
        }
        const bool is_field = fields_are_known_ && operand.index == kNoRegister && is_kept(operand.base);
        return is_field && std::all_of(fields_.begin(), fields_.end(), [&](const MemoryOperand& stored) {
                   const bool is_same_object = stored.base == operand.base && stored.segment == operand.segment &&
                                               stored.image_relative == operand.image_relative;
                   return is_same_object && (stored.displacement + stored.width <= operand.displacement ||
                                             operand.displacement + operand.width <= stored.displacement);
               });
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

    // The address that an instruction makes, if it is one of the stack: bytes from the stack pointer.
    std::optional<std::int64_t> stack_address(const Instruction& in) const {
        const bool is_move = in.operation == Operation::kSum && in.source2 == kNoRegister;
        const auto known = stack_registers_.find(in.source);
        return !is_move                          ? std::nullopt
               : is_stack_address(in)            ? std::optional(in.constant)
               : known == stack_registers_.end() ? std::nullopt
                                                 : std::optional(known->second + in.constant);
    }

    // Slots whose address the function takes may be changed through it.
    void find_stack_addresses() {
        for (const std::uint64_t address : graph_.instructions) {
            Instruction in;
            if (decoder_.decode(code_.from(address), address, &in)) {
                takes_stack_address_ = takes_stack_address_ || is_stack_address(in);
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
            const Value result =
                is_steady && given.is_few() ? Value::few(given.count, static_cast<std::int64_t>(in.target)) : Value();
            CallValues behind{.writes = called->writes,
                              .vector_writes = called->vector_writes,
                              .keeps_memory = true,
                              .result = result,
                              .slots = {}};
            for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
                const Value& held = values.general[reg];
                if ((called->results_by >> reg & 1U) != 0 && held.kind == Value::Kind::kStack) {
                    behind.slots.push_back(
                        {held.number, kResultBytes,
                         given.is_few() ? Value::few(given.count, static_cast<std::int64_t>(in.target) + 1 + reg)
                                        : Value()});
                }
            }
            return behind;
        }
        return {.writes = behind_return(in.writes),
                .vector_writes = ~0U,
                .keeps_memory = !takes_stack_address_,
                .result = {},
                .slots = {}};
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
    std::vector<MemoryOperand> stored_;                          // slots of the stack
    StackRegisters stack_registers_;
    // Other stores: all, and those to fields. `fields_are_known_`: there are none but those, and by rows of arrays.
    std::vector<MemoryOperand> elsewhere_;
    std::vector<MemoryOperand> fields_;
    bool only_known_calls_ = true;
    bool fields_are_known_ = false;
    Mask stack_addresses_ = 0;  // registers that hold some, in this block
};

}  // namespace

std::vector<std::uint64_t> repeated_calls(const Decoder& decoder, const CodeBytes& code, const FlowGraph& graph,
                                          const Loops& loops, const CodeBytes& constants, std::uint64_t entry,
                                          const EffectsOf& effects) {
    std::vector<std::uint64_t> calls;
    if (const FunctionEffects* const own = effects(entry)) {
        calls = own->overlapping_calls;
    }
    const std::vector<bool> has_inner = have_loops_inside(loops.loops);
    std::optional<ValueFlow> whole;
    const auto function = [&]() -> const ValueFlow& {
        if (!whole) {
            whole.emplace(flow_of_function(decoder, code, graph, constants, entry));
        }
        return *whole;
    };
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
        std::uint64_t instructions = 0;
        for (const std::uint32_t block : loops.loops[loop].own) {
            instructions += block < graph.blocks.size() ? graph.blocks[block].instructions : 0;
        }
        if (!has_inner[loop] && !loops.loops[loop].irreducible && instructions <= kSlowLoopInstructions) {
            RepeatingLoop(decoder, code, graph, loops, loop, constants, effects, function).find(&calls);
        }
    }
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    return calls;
}

}  // namespace kymo::program
