#include "program/flow/jump_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kymo::program {
namespace {

constexpr std::size_t kRegisters = 32;
constexpr std::size_t kMaxWayBlocks = 6;
constexpr std::size_t kMaxWays = 24;
constexpr std::size_t kMaxFarBlocks = 2048;

// What a register holds. Unknown values are told apart by id; those of the registers at the beginning of a way have
// the register's number.
struct Value {
    enum class Kind : std::uint8_t { kUnknown, kScaled, kConstant, kEntry } kind = Kind::kUnknown;
    std::uint32_t id = 0;        // kUnknown: itself; kScaled: of what was multiplied; kEntry: of the index
    std::uint64_t constant = 0;  // kEntry: what is added to the entry
    std::uint64_t table = 0;
    std::uint8_t entry_bytes = 0;  // kScaled: the factor
    bool entry_is_signed = false;
    bool operator==(const Value&) const = default;
};

struct Bound {
    std::uint32_t id = 0;
    std::uint64_t most = 0;
    bool strong = true;  // not just the width of the type
};

struct Evaluated {
    Value target;
    std::optional<std::uint64_t> most;  // of the index
    bool strong = false;
};

class Reader {
  public:
    Reader(const Decoder& decoder, const FlowGraph& graph,
           const std::vector<std::vector<std::uint32_t>>& predecessors, const CodeBytes& code, TableBudget* budget)
        : decoder_(decoder), graph_(graph), predecessors_(predecessors), code_(code), budget_(budget) {}

    // The best understood of the ways that lead to the end of `block`.
    std::optional<Evaluated> best_of_ways(std::uint32_t block) {
        std::vector<std::vector<std::uint32_t>> ways = {{block}};  // newest block first
        std::optional<Evaluated> best;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const std::vector<std::uint32_t> way = ways[i];
            const Evaluated found = evaluate(way);
            const bool is_table = found.target.kind == Value::Kind::kEntry;
            if (is_table && (!best || better(found, *best))) {
                best = found;
            }
            if ((is_table && found.strong) || way.size() >= kMaxWayBlocks) {
                continue;
            }
            for (const std::uint32_t before : predecessors_[way.back()]) {
                if (ways.size() >= kMaxWays) {
                    break;
                }
                if (std::find(way.begin(), way.end(), before) == way.end()) {
                    ways.push_back(way);
                    ways.back().push_back(before);
                }
            }
        }
        return best;
    }

  private:
    // A bound by comparison before one by type before none; of two such, the wider, for both ways exist.
    static bool better(const Evaluated& a, const Evaluated& b) {
        return std::tuple(a.strong, a.most.has_value(), a.most.value_or(0)) >
               std::tuple(b.strong, b.most.has_value(), b.most.value_or(0));
    }

    bool decode(std::uint64_t address, Instruction* out) {
        if (budget_->instructions == 0) {
            return false;
        }
        --budget_->instructions;
        return decoder_.decode(code_.from(address), address, out);
    }

    Evaluated evaluate(const std::vector<std::uint32_t>& way) {
        for (std::uint32_t i = 0; i < kRegisters; ++i) {
            registers_[i] = Value{.id = i};
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

    Evaluated conclude(const Instruction& jump) {
        Evaluated result;
        if (jump.source < kRegisters) {
            result.target = registers_[jump.source];
        } else if (jump.memory_operands == 1) {
            result.target = load(jump.memory[0], static_cast<std::uint8_t>(8 * jump.memory[0].width), false);
        }
        for (const Bound& bound : bounds_) {
            if (result.target.kind == Value::Kind::kEntry && bound.id == result.target.id &&
                std::pair(bound.strong, ~bound.most) > std::pair(result.strong, ~result.most.value_or(~0ULL))) {
                result.most = bound.most;
                result.strong = bound.strong;
            }
        }
        return result;
    }

    Value fresh() { return Value{.id = next_id_++}; }
    static Value constant(std::uint64_t value) { return {.kind = Value::Kind::kConstant, .constant = value}; }

    // A register that the way only inherits may hold a constant that was put there far ahead.
    Value or_far_constant(const Value& value) {
        if (value.kind != Value::Kind::kUnknown || value.id >= kRegisters) {
            return value;
        }
        const auto found = far_constant(static_cast<std::uint8_t>(value.id));
        return found ? constant(*found) : value;
    }

    Value of_register(std::uint8_t number) const { return number < kRegisters ? registers_[number] : constant(0); }

    Value sum(const Value& a, const Value& b) {
        if (a.kind == Value::Kind::kConstant && b.kind == Value::Kind::kConstant) {
            return constant(a.constant + b.constant);
        }
        if (a.kind == Value::Kind::kConstant && (a.constant == 0 || b.kind == Value::Kind::kEntry)) {
            return sum(b, a);
        }
        if (b.kind == Value::Kind::kConstant && b.constant == 0) {
            return a;
        }
        if (b.kind == Value::Kind::kEntry && a.kind == Value::Kind::kUnknown) {
            return sum(b, a);
        }
        if (a.kind == Value::Kind::kEntry) {
            const Value base = or_far_constant(b);
            if (base.kind == Value::Kind::kConstant) {
                Value result = a;
                result.constant += base.constant;
                return result;
            }
        }
        return fresh();
    }

    Value scaled(const Value& value, std::uint8_t scale) {
        switch (value.kind) {
            case Value::Kind::kConstant:
                return constant(value.constant * scale);
            case Value::Kind::kUnknown:
                return {.kind = Value::Kind::kScaled, .id = value.id, .entry_bytes = scale};
            default:
                return scale == 1 ? value : fresh();
        }
    }

    // An entry of the table at a constant address, where base, index and scale make it one.
    std::optional<Value> entry(const MemoryOperand& operand, std::uint8_t bits, bool is_signed) {
        if (operand.segment != Segment::kNone || operand.index_is_vector || operand.index == kNoRegister ||
            bits < 8) {
            return std::nullopt;
        }
        Value base = of_register(operand.base);
        Value index = scaled(of_register(operand.index), operand.scale);
        if (base.kind == Value::Kind::kScaled) {
            std::swap(base, index);
            if (base.kind == Value::Kind::kScaled && base.entry_bytes == 1) {
                base.kind = Value::Kind::kUnknown;
            }
        }
        if (index.kind != Value::Kind::kScaled || index.entry_bytes != bits / 8) {
            return std::nullopt;
        }
        base = or_far_constant(base);
        if (base.kind != Value::Kind::kConstant) {
            return std::nullopt;
        }
        return Value{.kind = Value::Kind::kEntry,
                     .id = index.id,
                     .table = base.constant + static_cast<std::uint64_t>(operand.displacement),
                     .entry_bytes = static_cast<std::uint8_t>(bits / 8),
                     .entry_is_signed = is_signed};
    }

    Value load(const MemoryOperand& operand, std::uint8_t bits, bool is_signed) {
        const auto found = entry(operand, bits, is_signed);
        return found ? *found : in_memory(operand);
    }

    // The same unknown value each time as long as nothing is written: the index is often compared in memory, then
    // loaded.
    Value in_memory(const MemoryOperand& operand) {
        MemoryOperand key = operand;
        key.width = 0;
        key.is_read = key.is_written = false;
        const std::pair<Value, Value> parts = {of_register(key.base), of_register(key.index)};
        for (const Loaded& known : loaded_) {
            if (known.operand == key && known.parts == parts) {
                return known.value;
            }
        }
        loaded_.push_back({key, parts, fresh()});
        return loaded_.back().value;
    }

    void bound(const Value& value, std::uint64_t most, bool strong) {
        if (value.kind == Value::Kind::kUnknown) {
            bounds_.push_back({value.id, most, strong});
        }
    }

    void step(const Instruction& in) {
        if (in.operation == Operation::kCompare) {
            compared_ = {in.source < kRegisters ? registers_[in.source] : in_memory(in.memory[0]),
                         static_cast<std::uint64_t>(in.constant)};
            return;
        }
        if (in.writes_flags) {
            compared_.reset();
        }
        std::optional<Value> result;
        switch (in.operation) {
            case Operation::kSum:
                result = of_register(in.source2);
                result = sum(sum(of_register(in.source), in.scale == 1 ? *result : scaled(*result, in.scale)),
                             constant(static_cast<std::uint64_t>(in.constant)));
                break;
            case Operation::kZeroExtend:
            case Operation::kSignExtend:
                result = of_register(in.source);
                if (in.operation == Operation::kSignExtend && result->kind == Value::Kind::kEntry &&
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

    // What the way from one block to the next says about the value compared last.
    void learn(const Instruction& last, const Block& block, const Block& next) {
        if (!compared_ || last.kind != InstructionKind::kConditionalJump) {
            return;
        }
        const bool taken = next.begin != block.end;
        const auto& [value, against] = *compared_;
        const Condition condition = last.condition;
        if (condition == (taken ? Condition::kBelowOrEqual : Condition::kAbove)) {
            bound(value, against, true);
        } else if (condition == (taken ? Condition::kBelow : Condition::kAboveOrEqual) && against > 0) {
            bound(value, against - 1, true);
        }
    }

    // The constant that every way from the function's beginning has put into a register before the way begins.
    std::optional<std::uint64_t> far_constant(std::uint8_t number) {
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
            // Code that nothing known leads to (handlers, padding) is not held against the constant; the entry is.
            if (predecessors_[at].empty() && is_entry(at)) {
                return std::nullopt;
            }
            queue.insert(queue.end(), predecessors_[at].begin(), predecessors_[at].end());
        }
        return found;
    }

    bool is_entry(std::uint32_t block) const {
        return graph_.entries.empty()
                   ? block == 0
                   : std::find(graph_.entries.begin(), graph_.entries.end(), block) != graph_.entries.end();
    }

    struct Loaded {
        MemoryOperand operand;
        std::pair<Value, Value> parts;
        Value value;
    };

    const Decoder& decoder_;
    const FlowGraph& graph_;
    const std::vector<std::vector<std::uint32_t>>& predecessors_;
    const CodeBytes& code_;
    TableBudget* budget_;
    std::array<Value, kRegisters> registers_;
    std::uint32_t next_id_ = 0;
    std::vector<Bound> bounds_;
    std::vector<Loaded> loaded_;
    std::optional<std::pair<Value, std::uint64_t>> compared_;
    std::uint32_t way_begin_ = 0;
};

std::optional<std::uint64_t> read_entry(const CodeBytes& data, const Value& table, std::uint64_t index) {
    const auto bytes = data.from(table.table + index * table.entry_bytes);
    if (bytes.size() < table.entry_bytes) {
        return std::nullopt;
    }
    std::uint64_t entry = 0;
    std::memcpy(&entry, bytes.data(), table.entry_bytes);  // little-endian, as every machine with a decoder here
    if (table.entry_is_signed && table.entry_bytes < 8) {
        const unsigned unused = 64U - 8U * table.entry_bytes;
        entry = static_cast<std::uint64_t>(static_cast<std::int64_t>(entry << unused) >> unused);
    }
    return entry + table.constant;
}

// Is an instruction decoded there, or nothing yet?
bool can_begin(const FlowGraph& graph, std::uint64_t address) {
    const std::uint32_t block = graph.block_at(address);
    return block == kNoNode || graph.instructions[graph.instruction_at(graph.blocks[block], address)] == address;
}

}  // namespace

std::optional<TableTargets> read_jump_table(const Decoder& decoder, const FlowGraph& graph,
                                            const std::vector<std::vector<std::uint32_t>>& predecessors,
                                            std::uint32_t block, const CodeBytes& code, const CodeBytes& data,
                                            std::uint32_t max_entries, TableBudget* budget) {
    const auto found = Reader(decoder, graph, predecessors, code, budget).best_of_ways(block);
    if (!found) {
        return std::nullopt;
    }
    const Value& table = found->target;
    TableTargets result;
    result.table.jump = graph.last_instruction(graph.blocks[block]);
    result.table.address = table.table;
    result.table.entry_bytes = table.entry_bytes;
    result.table.bounded = found->strong && *found->most < max_entries;
    const std::uint64_t limit = found->most && *found->most < max_entries ? *found->most + 1 : max_entries;
    for (std::uint64_t i = 0; i < limit; ++i) {
        const auto target = read_entry(data, table, i);
        if (!target) {
            break;
        }
        const bool sensible = code.contains(*target) && can_begin(graph, *target);
        if (!sensible && !result.table.bounded) {
            break;
        }
        ++result.table.entries;
        if (sensible) {
            result.targets.push_back(*target);
        }
    }
    if (result.targets.empty()) {
        return std::nullopt;
    }
    return result;
}

}  // namespace kymo::program
