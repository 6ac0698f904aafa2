// The operand of an indirect jump at the end of a path of blocks: the instructions along it are evaluated over
// symbols, as far as they may compute an entry of a table (jump_table.h lists the recognised forms).
//
// Contract: one thread; its inputs outlive it. Cost: the path's instructions, and those that are searched for a
// constant put into a register before it, out of the budget.
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"
#include "program/flow/table_budget.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace kymo::program {

// The content of a register, or of a jump's operand. Unknown values are distinguished by id; those of the
// registers at the beginning of a path have the register's number.
struct SymbolicValue {
    enum class Kind : std::uint8_t { kUnknown, kScaled, kUpperHalf, kConstant, kEntry } kind = Kind::kUnknown;
    std::uint32_t id = 0;        // kUnknown: itself; kScaled: of what was multiplied; kUpperHalf: of what was moved
                                 // there, by 32 bits; kEntry: of the index
    std::uint64_t constant = 0;  // kEntry: what is added to the scaled entry; kScaled: to the product
    std::uint64_t table = 0;
    std::uint8_t entry_bytes = 0;  // kScaled: the factor
    std::uint8_t entry_scale = 1;  // kEntry: what the entry is multiplied by
    bool entry_is_signed = false;
    bool operator==(const SymbolicValue&) const = default;
};

struct OperandOnWay {
    SymbolicValue target;
    std::optional<std::uint64_t> most;  // of the index
    bool strong = false;                // by a comparison or mask, not just the width of the type
};

class JumpOperand {
  public:
    JumpOperand(const Decoder& decoder, const FlowGraph& graph,
                const std::vector<std::vector<std::uint32_t>>& predecessors, const CodeBytes& code,
                TableBudget* budget)
        : decoder_(decoder), graph_(graph), predecessors_(predecessors), code_(code), budget_(budget) {}

    // `way`: blocks, the newest, which ends in the jump, first.
    OperandOnWay evaluate(const std::vector<std::uint32_t>& way);

  private:
    static constexpr std::size_t kRegisters = 32;
    struct Bound {
        std::uint32_t id = 0;
        std::uint64_t most = 0;
        bool strong = true;  // not just the width of the type
    };
    struct Compared {
        SymbolicValue value;
        std::uint64_t against = 0;
        bool is_turned = false;  // the constant was on the left
    };
    struct Loaded {
        MemoryOperand operand;
        std::pair<SymbolicValue, SymbolicValue> parts;
        SymbolicValue value;
    };

    bool decode(std::uint64_t address, Instruction* out);
    OperandOnWay conclude(const Instruction& jump);
    SymbolicValue fresh() { return SymbolicValue{.id = next_id_++}; }
    static SymbolicValue constant(std::uint64_t value) {
        return {.kind = SymbolicValue::Kind::kConstant, .constant = value};
    }
    SymbolicValue or_far_constant(const SymbolicValue& value);
    SymbolicValue of_register(std::uint8_t number) const {
        return number < kRegisters ? registers_[number] : constant(0);
    }
    SymbolicValue sum(const SymbolicValue& a, const SymbolicValue& b);
    SymbolicValue scaled(const SymbolicValue& value, std::uint8_t scale);
    SymbolicValue shifted(const SymbolicValue& value, std::int64_t left);
    SymbolicValue addend(const Instruction& in);
    void compare(const Instruction& in);
    std::optional<SymbolicValue> entry(const MemoryOperand& operand, std::uint8_t bits, bool is_signed);
    SymbolicValue load(const MemoryOperand& operand, std::uint8_t bits, bool is_signed);
    SymbolicValue in_memory(const MemoryOperand& operand);
    void bound(const SymbolicValue& value, std::uint64_t most, bool strong);
    void step(const Instruction& in);
    void learn(const Instruction& last, const Block& block, const Block& next);
    std::optional<std::uint64_t> far_constant(std::uint8_t number);
    bool is_entry(std::uint32_t block) const;

    const Decoder& decoder_;
    const FlowGraph& graph_;
    const std::vector<std::vector<std::uint32_t>>& predecessors_;
    const CodeBytes& code_;
    TableBudget* budget_;
    std::array<SymbolicValue, kRegisters> registers_;
    std::uint32_t next_id_ = 0;
    std::vector<Bound> bounds_;
    std::vector<Loaded> loaded_;
    std::optional<Compared> compared_;
    std::uint32_t way_begin_ = 0;
};

}  // namespace kymo::program
