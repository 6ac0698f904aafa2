#include "program/flow/repeated/value_flow.h"

#include "program/flow/block_instructions.h"
#include "program/flow/calls_x86_64.h"

#include <algorithm>
#include <bit>

namespace kymo::program {
namespace {

constexpr std::int64_t kWord = 8;

bool overlap(std::int64_t a, std::int64_t a_bytes, std::int64_t b, std::int64_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

// Made of all of them and nothing else.
Value joined(const std::vector<Value>& parts, std::uint64_t address) {
    std::uint64_t count = 1;
    for (const Value& part : parts) {
        if (!part.is_few()) {
            return {};
        }
        count *= part.count;
    }
    return Value::few(count, static_cast<std::int64_t>(address));
}

Value moved(const Value& value, std::int64_t by, std::uint64_t address) {
    switch (value.kind) {
        case Value::Kind::kFew:
            return by == 0 ? value : Value::few(value.count, static_cast<std::int64_t>(address));
        case Value::Kind::kOrigin:
            return value;
        case Value::Kind::kStack:
            return Value::stack(value.number + by);
        case Value::Kind::kUnknown:
            break;
    }
    return {};
}

// The low 32 bits of what a register held, or more of it.
Value low_part(const Value& value, std::uint8_t bits, std::uint64_t address) {
    if (value.is_few()) {
        return Value::few(value.count, static_cast<std::int64_t>(address));
    }
    return value.kind == Value::Kind::kOrigin && bits >= 32 ? value : Value();
}

}  // namespace

Value Value::few(std::uint64_t count, std::int64_t number) {
    return count <= kFewValues ? Value{Kind::kFew, static_cast<std::uint32_t>(count), number} : Value{};
}

Value Values::at(std::int64_t place, std::int64_t bytes) const {
    const auto known = slots.find(place);
    if (known != slots.end() && bytes <= known->second.bytes) {
        return known->second.value;
    }
    const bool is_listed = std::any_of(slots.begin(), slots.end(), [&](const auto& slot) {
        return overlap(slot.first, slot.second.bytes, place, bytes);
    });
    // Far from every number of an instruction.
    constexpr std::int64_t kSlotNumbers = std::int64_t{1} << 62;
    return is_listed || !others_are_steady ? Value() : Value::few(1, kSlotNumbers + place);
}

void Values::put(std::int64_t place, std::int64_t bytes, const Value& value) {
    for (auto& [at, slot] : slots) {
        if (overlap(at, slot.bytes, place, bytes)) {
            slot.value = {};
        }
    }
    Slot& slot = slots[place];
    slot.value = slot.bytes <= bytes ? value : Value();
    slot.bytes = std::max(slot.bytes, bytes);
}

void Values::forget_slots() {
    slots.clear();
    others_are_steady = false;
}

bool Values::merge(const Values& other) {
    const Values before = *this;
    for (std::size_t reg = 0; reg < kRegisters; ++reg) {
        general[reg] = general[reg] == other.general[reg] ? general[reg] : Value();
        vectors[reg] = vectors[reg] == other.vectors[reg] ? vectors[reg] : Value();
    }
    for (auto& [place, slot] : slots) {
        slot.value = other.at(place, slot.bytes) == slot.value ? slot.value : Value();
    }
    for (const auto& [place, slot] : other.slots) {
        if (!slots.contains(place)) {
            const Value own = before.at(place, slot.bytes);
            put(place, slot.bytes, own == slot.value ? own : Value());
        }
    }
    if (!other.others_are_steady) {
        others_are_steady = false;
    }
    return *this != before;
}

StackPlace stack_place(const MemoryOperand& operand, const Values& values) {
    const Value base =
        operand.base == kNoRegister || operand.segment != Segment::kNone ? Value() : values.of(operand.base);
    if (base.kind != Value::Kind::kStack) {
        return {};
    }
    return {true, operand.index == kNoRegister, base.number + operand.displacement};
}

bool is_push(const Instruction& in) {
    return in.kind == InstructionKind::kPlain && in.memory_operands == 0 && in.writes_memory &&
           (in.writes & register_bit(kStackPointer)) != 0;
}

bool is_pop(const Instruction& in) {
    return in.kind == InstructionKind::kPlain && in.memory_operands == 0 && !in.writes_memory &&
           in.operation == Operation::kOther && std::popcount(in.writes) == 2 &&
           (in.writes & register_bit(kStackPointer)) != 0 && in.reads == register_bit(kStackPointer);
}

ValueFlow::ValueFlow(const ValueFlowInput& input, const Values& begin)
    : input_(input), at_begin_{{input.first, begin}} {
    std::vector<std::uint32_t> open{input.first};
    while (!open.empty() && is_decoded_) {
        const std::uint32_t number = open.back();
        open.pop_back();
        Values values = at_begin_.at(number);
        is_decoded_ = pass_block(number, &values, [](auto&&...) {});
        for (const BlockEdge& edge : input_.graph.edges_of(number)) {
            const bool is_inside = edge.to != input_.first && std::find(input_.blocks.begin(), input_.blocks.end(),
                                                                        edge.to) != input_.blocks.end();
            if (!is_inside) {
                continue;
            }
            const auto [known, is_new] = at_begin_.try_emplace(edge.to, values);
            if (is_new || known->second.merge(values)) {
                open.push_back(edge.to);
            }
        }
    }
}

const Values* ValueFlow::at_begin(std::uint32_t block) const {
    const auto known = at_begin_.find(block);
    return known == at_begin_.end() ? nullptr : &known->second;
}

Values ValueFlow::at_end(std::uint32_t block) const {
    Values values = at_begin_.at(block);
    pass_block(block, &values, [](auto&&...) {});
    return values;
}

void ValueFlow::each(
    const std::function<void(std::uint32_t, std::uint64_t, const Instruction&, const Values&)>& visit) const {
    for (const auto& [number, begin] : at_begin_) {
        Values values = begin;
        pass_block(number, &values, visit);
    }
}

template <typename Visit>
bool ValueFlow::pass_block(std::uint32_t number, Values* values, const Visit& visit) const {
    return each_instruction(input_.decoder, input_.code, input_.graph, input_.graph.blocks[number],
                            [&](std::uint64_t address, const Instruction& in) {
                                visit(number, address, in, *values);
                                pass(address, in, values);
                            });
}

Value ValueFlow::loaded(std::uint64_t address, const Instruction& in, const Values& values) const {
    std::vector<Value> parts;
    for (std::size_t i = 0; i < in.memory_operands; ++i) {
        const MemoryOperand& operand = in.memory[i];
        if (!operand.is_read) {
            continue;
        }
        const StackPlace at = stack_place(operand, values);
        if (at.is_stack) {
            parts.push_back(at.is_known ? values.at(at.place, operand.width) : Value());
        } else if (operand.image_relative && operand.index == kNoRegister &&
                   input_.constants.contains(static_cast<std::uint64_t>(operand.displacement))) {
            parts.push_back(Value::few(1, operand.displacement));
        } else if (input_.is_steady && !operand.index_is_vector && input_.is_steady(operand)) {
            parts.push_back(joined({values.of(operand.base), values.of(operand.index)}, address));
        } else {
            return {};
        }
    }
    return parts.size() == 1 ? parts[0] : joined(parts, address);
}

Value ValueFlow::made(std::uint64_t address, const Instruction& in, const Values& values) const {
    constexpr int kFewBits = 3;
    const auto number = static_cast<std::int64_t>(address);
    switch (in.operation) {
        case Operation::kSum: {
            if (in.source2 == kNoRegister && in.source == kNoRegister) {
                return Value::few(1, number);
            }
            const Value first = values.of(in.source);
            if (in.source2 == kNoRegister) {
                return moved(first, in.constant, address);
            }
            const Value second = values.of(in.source2);
            const bool is_by_constant = first.is_few() && first.count == 1;
            if (second.kind == Value::Kind::kOrigin && in.scale == 1 && in.bits == 0 && is_by_constant) {
                return second;
            }
            if (first.kind == Value::Kind::kOrigin && second.is_few() && second.count == 1) {
                return first;
            }
            return joined({first, second}, address);
        }
        case Operation::kStep: {
            const Value first = values.of(in.source);
            return first.kind == Value::Kind::kStack ? Value() : moved(first, in.constant, address);
        }
        case Operation::kZeroExtend:
        case Operation::kSignExtend:
            return low_part(values.of(in.source), in.bits, address);
        case Operation::kShift:
            return joined({values.of(in.source)}, address);
        case Operation::kMask: {
            const Value masked = values.of(in.source);
            const int bits = std::popcount(static_cast<std::uint64_t>(in.constant));
            return masked.is_few() || bits > kFewBits ? joined({masked}, address)
                                                      : Value::few(std::uint64_t{1} << bits, number);
        }
        case Operation::kLoad: {
            const Value value = loaded(address, in, values);
            return value.kind == Value::Kind::kStack && in.bits < 64 ? Value()
                   : in.bits < 64                                    ? low_part(value, in.bits, address)
                                                                     : value;
        }
        default:
            break;
    }
    if (!in.accumulates && !in.multiplies) {
        return {};  // what else it reads, such as flags, is not known
    }
    std::vector<Value> parts{loaded(address, in, values)};
    for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
        if ((in.reads & register_bit(reg)) != 0) {
            parts.push_back(values.general[reg]);
        }
    }
    return joined(parts, address);
}

void ValueFlow::pass(std::uint64_t address, const Instruction& in, Values* values) const {
    if (is_call(in.kind)) {
        const CallValues call =
            input_.call ? input_.call(in, *values)
                        : CallValues{.writes = in.writes, .vector_writes = ~0U, .result = {}, .slots = {}};
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            values->general[reg] = (call.writes & register_bit(reg)) != 0 ? Value() : values->general[reg];
            values->vectors[reg] = (call.vector_writes & register_bit(reg)) != 0 ? Value() : values->vectors[reg];
        }
        values->general[kResult] = call.result;
        if (!call.keeps_memory) {
            values->forget_slots();
        }
        for (const CallValues::Slot& slot : call.slots) {
            values->put(slot.place, slot.bytes, slot.value);
        }
        return;
    }
    if (is_push(in) || is_pop(in)) {
        Value& stack = values->general[kStackPointer];
        const bool is_known = stack.kind == Value::Kind::kStack;
        for (std::uint8_t reg = 0; reg < Values::kRegisters && is_pop(in); ++reg) {
            if ((in.writes & register_bit(reg)) != 0 && reg != kStackPointer) {
                values->general[reg] = is_known ? values->at(stack.number, kWord) : Value();
            }
        }
        if (is_known) {
            stack.number += is_push(in) ? -kWord : kWord;
        }
        if (is_push(in) && is_known) {
            const std::uint32_t pushed = in.reads & ~register_bit(kStackPointer);
            values->put(stack.number, kWord,
                        std::has_single_bit(pushed)
                            ? values->general[static_cast<std::size_t>(std::countr_zero(pushed))]
                            : Value());
        }
        return;
    }
    const Value result = made(address, in, *values);
    Value vector;
    if (in.vector_writes != 0) {
        std::vector<Value> parts{loaded(address, in, *values)};
        for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
            // An address's registers are part of what is loaded.
            const bool is_source = in.memory_operands == 0 && (in.reads & register_bit(reg)) != 0;
            if (is_source) {
                parts.push_back(values->general[reg]);
            }
            if ((in.vector_reads & register_bit(reg)) != 0) {
                parts.push_back(values->vectors[reg]);
            }
        }
        // Loaded as it is: the same value.
        const bool is_move = in.float_bits == 0 && in.memory_operands == 1 && parts.size() == 1;
        vector = is_move ? parts[0] : joined(parts, address);
    }
    for (std::size_t i = 0; i < in.memory_operands; ++i) {
        const StackPlace at = stack_place(in.memory[i], *values);
        if (!in.memory[i].is_written || !at.is_stack) {
            continue;
        }
        if (!at.is_known) {
            values->forget_slots();
            continue;
        }
        const bool is_move = in.writes == 0 && in.vector_writes == 0 && !in.memory[i].is_read && !in.writes_flags;
        const std::uint32_t address_registers = register_bit(in.memory[i].base);
        const std::uint32_t stored = in.reads & ~address_registers;
        const bool is_register = is_move && std::has_single_bit(stored) && in.vector_reads == 0;
        const bool is_vector = is_move && stored == 0 && std::has_single_bit(in.vector_reads);
        Value put = is_register ? values->general[static_cast<std::size_t>(std::countr_zero(stored))]
                    : is_vector ? values->vectors[static_cast<std::size_t>(std::countr_zero(in.vector_reads))]
                                : Value();
        if (is_register && in.memory[i].width != kWord) {
            put = low_part(put, static_cast<std::uint8_t>(std::min<int>(8 * in.memory[i].width, 64)), address);
        }
        values->put(at.place, in.memory[i].width, put);
    }
    for (std::uint8_t reg = 0; reg < Values::kRegisters; ++reg) {
        if ((in.writes & register_bit(reg)) != 0) {
            values->general[reg] = in.destination == reg ? result : Value();
        }
        if ((in.vector_writes & register_bit(reg)) != 0) {
            values->vectors[reg] = vector;
        }
    }
}

}  // namespace kymo::program
