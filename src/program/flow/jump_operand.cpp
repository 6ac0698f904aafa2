#include "program/flow/jump_operand.h"

#include <algorithm>

namespace kymo::program {
namespace {

constexpr std::size_t kMaxFarBlocks = 2048;

// The same of the two sides exchanged.
Condition turned(Condition condition) {
    switch (condition) {
        case Condition::kAbove:
            return Condition::kBelow;
        case Condition::kAboveOrEqual:
            return Condition::kBelowOrEqual;
        case Condition::kBelow:
            return Condition::kAbove;
        case Condition::kBelowOrEqual:
            return Condition::kAboveOrEqual;
        default:
            return condition;
    }
}

}  // namespace

bool JumpOperand::decode(std::uint64_t address, Instruction* out) {
    if (budget_->instructions == 0) {
        return false;
    }
    --budget_->instructions;
    return decoder_.decode(code_.from(address), address, out);
}

OperandOnWay JumpOperand::evaluate(const std::vector<std::uint32_t>& way) {
    for (std::uint32_t i = 0; i < kRegisters; ++i) {
        registers_[i] = SymbolicValue{.id = i};
    }
    next_id_ = kRegisters;
    bounds_.clear();
    loaded_.clear();
    compared_.reset();
    way_begin_ = way.back();
    Instruction in;
    for (std::size_t i = way.size(); i-- > 0;) {
        const Block& block = graph_.blocks[way[i]];
        for (std::uint32_t k = 0; k < block.instructions; ++k) {
            if (!decode(graph_.instructions[block.first_instruction + k], &in)) {
                return {};
            }
            if (in.kind == InstructionKind::kIndirectJump && i == 0 && k + 1 == block.instructions) {
                return conclude(in);
            }
            step(in);
        }
        if (i > 0) {
            learn(in, block, graph_.blocks[way[i - 1]]);
        }
    }
    return {};
}

OperandOnWay JumpOperand::conclude(const Instruction& jump) {
    OperandOnWay result;
    if (jump.source < kRegisters) {
        result.target = registers_[jump.source];
    } else if (jump.memory_operands == 1) {
        result.target = load(jump.memory[0], static_cast<std::uint8_t>(8 * jump.memory[0].width), false);
    }
    for (const Bound& bound : bounds_) {
        if (result.target.kind == SymbolicValue::Kind::kEntry && bound.id == result.target.id &&
            std::pair(bound.strong, ~bound.most) > std::pair(result.strong, ~result.most.value_or(~0ULL))) {
            result.most = bound.most;
            result.strong = bound.strong;
        }
    }
    return result;
}

// A register that the way only inherits may hold a constant that was put there far ahead.
SymbolicValue JumpOperand::or_far_constant(const SymbolicValue& value) {
    if (value.kind != SymbolicValue::Kind::kUnknown || value.id >= kRegisters) {
        return value;
    }
    const auto found = far_constant(static_cast<std::uint8_t>(value.id));
    return found ? constant(*found) : value;
}

SymbolicValue JumpOperand::sum(const SymbolicValue& a, const SymbolicValue& b) {
    if (a.kind == SymbolicValue::Kind::kConstant && b.kind == SymbolicValue::Kind::kConstant) {
        return constant(a.constant + b.constant);
    }
    if (a.kind == SymbolicValue::Kind::kConstant && (a.constant == 0 || b.kind == SymbolicValue::Kind::kEntry)) {
        return sum(b, a);
    }
    if (b.kind == SymbolicValue::Kind::kConstant && b.constant == 0) {
        return a;
    }
    if (b.kind == SymbolicValue::Kind::kEntry && a.kind == SymbolicValue::Kind::kUnknown) {
        return sum(b, a);
    }
    if (a.kind == SymbolicValue::Kind::kConstant && b.kind == SymbolicValue::Kind::kScaled) {
        return sum(b, a);
    }
    if (b.kind == SymbolicValue::Kind::kScaled && a.kind == SymbolicValue::Kind::kUnknown) {
        return sum(b, a);
    }
    if (a.kind == SymbolicValue::Kind::kEntry || a.kind == SymbolicValue::Kind::kScaled) {
        const SymbolicValue base = or_far_constant(b);
        if (base.kind == SymbolicValue::Kind::kConstant) {
            SymbolicValue result = a;
            result.constant += base.constant;
            return result;
        }
    }
    return fresh();
}

SymbolicValue JumpOperand::scaled(const SymbolicValue& value, std::uint8_t scale) {
    switch (value.kind) {
        case SymbolicValue::Kind::kConstant:
            return constant(value.constant * scale);
        case SymbolicValue::Kind::kUnknown:
            return {.kind = SymbolicValue::Kind::kScaled, .id = value.id, .entry_bytes = scale};
        case SymbolicValue::Kind::kEntry:
            if (value.constant == 0 && value.entry_scale == 1) {
                SymbolicValue result = value;
                result.entry_scale = scale;
                return result;
            }
            return fresh();
        default:
            return scale == 1 ? value : fresh();
    }
}

// An entry of the table at a constant address, where base, index and scale make it one.
std::optional<SymbolicValue> JumpOperand::entry(const MemoryOperand& operand, std::uint8_t bits, bool is_signed) {
    if (operand.segment != Segment::kNone || operand.index_is_vector || bits < 8) {
        return std::nullopt;
    }
    SymbolicValue base = of_register(operand.base);
    SymbolicValue index = scaled(of_register(operand.index), operand.scale);
    if (operand.index == kNoRegister && (base.kind != SymbolicValue::Kind::kScaled || base.constant == 0)) {
        return std::nullopt;
    }
    if (base.kind == SymbolicValue::Kind::kScaled) {
        std::swap(base, index);
        if (base.kind == SymbolicValue::Kind::kScaled && base.entry_bytes == 1) {
            base.kind = SymbolicValue::Kind::kUnknown;
        }
    }
    if (index.kind != SymbolicValue::Kind::kScaled || index.entry_bytes != bits / 8) {
        return std::nullopt;
    }
    base = or_far_constant(base);
    if (base.kind != SymbolicValue::Kind::kConstant) {
        return std::nullopt;
    }
    return SymbolicValue{.kind = SymbolicValue::Kind::kEntry,
                         .id = index.id,
                         .table = base.constant + index.constant + static_cast<std::uint64_t>(operand.displacement),
                         .entry_bytes = static_cast<std::uint8_t>(bits / 8),
                         .entry_is_signed = is_signed};
}

SymbolicValue JumpOperand::load(const MemoryOperand& operand, std::uint8_t bits, bool is_signed) {
    const auto found = entry(operand, bits, is_signed);
    return found ? *found : in_memory(operand);
}

// The same unknown value each time as long as nothing is written: the index is often compared in memory, then
// loaded.
SymbolicValue JumpOperand::in_memory(const MemoryOperand& operand) {
    MemoryOperand key = operand;
    key.width = 0;
    key.is_read = key.is_written = false;
    const std::pair<SymbolicValue, SymbolicValue> parts = {of_register(key.base), of_register(key.index)};
    for (const Loaded& known : loaded_) {
        if (known.operand == key && known.parts == parts) {
            return known.value;
        }
    }
    loaded_.push_back({key, parts, fresh()});
    return loaded_.back().value;
}

void JumpOperand::bound(const SymbolicValue& value, std::uint64_t most, bool strong) {
    if (value.kind == SymbolicValue::Kind::kUnknown) {
        bounds_.push_back({value.id, most, strong});
    }
}

void JumpOperand::compare(const Instruction& in) {
    const SymbolicValue left = in.source < kRegisters ? registers_[in.source] : in_memory(in.memory[0]);
    const SymbolicValue right = in.source2 < kRegisters ? or_far_constant(registers_[in.source2])
                                                        : constant(static_cast<std::uint64_t>(in.constant));
    compared_.reset();
    if (right.kind == SymbolicValue::Kind::kConstant) {
        compared_ = {left, right.constant, false};
        return;
    }
    const SymbolicValue constant_left = or_far_constant(left);
    if (constant_left.kind == SymbolicValue::Kind::kConstant) {
        compared_ = {right, constant_left.constant, true};
    }
}

// To the upper half and back, except for a factor: an index is extended with zeros and scaled.
SymbolicValue JumpOperand::shifted(const SymbolicValue& value, std::int64_t left) {
    constexpr std::int64_t kHalf = 32;
    if (left == kHalf && value.kind == SymbolicValue::Kind::kUnknown) {
        return {.kind = SymbolicValue::Kind::kUpperHalf, .id = value.id};
    }
    if (value.kind == SymbolicValue::Kind::kUpperHalf && left >= -kHalf && left <= 6 - kHalf) {
        const SymbolicValue whole{.id = value.id};
        return left == -kHalf ? whole : scaled(whole, static_cast<std::uint8_t>(1U << (kHalf + left)));
    }
    return fresh();
}

// The scaled source of a sum. Extending an index leaves it what it was compared as.
SymbolicValue JumpOperand::addend(const Instruction& in) {
    SymbolicValue value = of_register(in.source2);
    if (value.kind == SymbolicValue::Kind::kEntry && in.is_signed && in.bits == 8 * value.entry_bytes) {
        value.entry_is_signed = true;
    }
    return in.scale == 1 ? value : scaled(value, in.scale);
}

void JumpOperand::step(const Instruction& in) {
    if (in.operation == Operation::kCompare) {
        compare(in);
        return;
    }
    if (in.writes_flags) {
        compared_.reset();
    }
    std::optional<SymbolicValue> result;
    switch (in.operation) {
        case Operation::kSum:
            result = sum(sum(of_register(in.source), addend(in)), constant(static_cast<std::uint64_t>(in.constant)));
            break;
        case Operation::kShift:
            result = shifted(of_register(in.source), in.constant);
            break;
        case Operation::kZeroExtend:
        case Operation::kSignExtend:
            result = of_register(in.source);
            if (in.operation == Operation::kSignExtend && result->kind == SymbolicValue::Kind::kEntry &&
                in.bits == 8 * result->entry_bytes) {
                result->entry_is_signed = true;
            }
            if (in.operation == Operation::kZeroExtend && in.bits < 32) {
                bound(*result, (1ULL << in.bits) - 1, false);
            }
            break;
        case Operation::kLoad:
            result = load(in.memory[0], in.bits, in.is_signed);
            if (!in.is_signed && in.bits < 32) {
                bound(*result, (1ULL << in.bits) - 1, false);
            }
            break;
        case Operation::kMask:
            result = fresh();
            bound(*result, static_cast<std::uint64_t>(in.constant), true);
            break;
        default:
            break;
    }
    if (in.writes_memory) {
        loaded_.clear();
    }
    for (std::uint32_t i = 0; i < kRegisters; ++i) {
        if ((in.writes >> i & 1U) != 0) {
            registers_[i] = fresh();
        }
    }
    if (result && in.destination < kRegisters) {
        registers_[in.destination] = *result;
    }
}

// The information that the path from one block to the next gives on the value compared last.
void JumpOperand::learn(const Instruction& last, const Block& block, const Block& next) {
    if (!compared_ || last.kind != InstructionKind::kConditionalJump) {
        return;
    }
    const bool taken = next.begin != block.end;
    const auto& [value, against, is_turned] = *compared_;
    const Condition condition = is_turned ? turned(last.condition) : last.condition;
    if (condition == (taken ? Condition::kBelowOrEqual : Condition::kAbove)) {
        bound(value, against, true);
    } else if (condition == (taken ? Condition::kBelow : Condition::kAboveOrEqual) && against > 0) {
        bound(value, against - 1, true);
    }
}

// The constant that every way from the function's beginning has put into a register before the way begins.
std::optional<std::uint64_t> JumpOperand::far_constant(std::uint8_t number) {
    std::optional<std::uint64_t> found;
    std::vector<std::uint32_t> queue(predecessors_[way_begin_]);
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::size_t visited = 0;
    if (queue.empty()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::uint32_t at = queue[i];
        if (seen[at]) {
            continue;
        }
        seen[at] = true;
        if (++visited > kMaxFarBlocks) {
            return std::nullopt;
        }
        bool defined = false;
        std::optional<std::uint64_t> value;
        const Block& block = graph_.blocks[at];
        Instruction in;
        for (std::uint32_t k = block.instructions; k-- > 0 && !defined;) {
            if (!decode(graph_.instructions[block.first_instruction + k], &in)) {
                return std::nullopt;
            }
            if ((in.writes >> number & 1U) != 0) {
                defined = true;
                if (in.operation == Operation::kSum && in.destination == number && in.source == kNoRegister &&
                    in.source2 == kNoRegister) {
                    value = static_cast<std::uint64_t>(in.constant);
                }
            }
        }
        if (defined && (!value || (found && *found != *value))) {
            return std::nullopt;
        }
        if (defined) {
            found = value;
            continue;
        }
        // Code without known predecessors (handlers, padding) does not contradict the constant; the entry does.
        if (predecessors_[at].empty() && is_entry(at)) {
            return std::nullopt;
        }
        queue.insert(queue.end(), predecessors_[at].begin(), predecessors_[at].end());
    }
    return found;
}

bool JumpOperand::is_entry(std::uint32_t block) const {
    return graph_.entries.empty()
               ? block == 0
               : std::find(graph_.entries.begin(), graph_.entries.end(), block) != graph_.entries.end();
}

}  // namespace kymo::program
