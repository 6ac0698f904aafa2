// What registers and the stack's slots hold along a piece of a function's code of x86-64, as far as that is made of
// few things: a forward data-flow analysis with constants and copies (Aho, Lam, Sethi and Ullman, Compilers, 2006,
// section 9.4).
#pragma once

#include "program/flow/code_bytes.h"
#include "program/flow/decode.h"
#include "program/flow/flow_graph.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace kymo::program {

struct Value {
    enum class Kind : std::uint8_t {
        kUnknown,
        kFew,     // at most `count` different ones while the piece of code runs
        kOrigin,  // what register `number` held at the begin, plus constants
        kStack,   // an address: `number` bytes from the stack pointer at the begin
    };
    Kind kind = Kind::kUnknown;
    std::uint32_t count = 0;
    std::int64_t number = 0;  // kFew: those of the same number are equal

    bool is_few() const { return kind == Kind::kFew; }
    bool operator==(const Value&) const = default;

    static Value few(std::uint64_t count, std::int64_t number);  // unknown if they are many
    static Value origin(std::uint8_t reg) { return {Kind::kOrigin, 1, reg}; }
    static Value stack(std::int64_t bytes) { return {Kind::kStack, 1, bytes}; }
};

inline constexpr std::uint32_t kFewValues = 8;

struct Values {
    static constexpr std::size_t kRegisters = 32;
    struct Slot {
        std::int64_t bytes = 0;
        Value value;
        bool operator==(const Slot&) const = default;
    };
    std::array<Value, kRegisters> general = {};
    std::array<Value, kRegisters> vectors = {};
    std::map<std::int64_t, Slot> slots;  // by their place, from the stack pointer at the begin; do not overlap
    bool others_are_steady = false;      // slots that are not listed hold what they held at the begin
    bool operator==(const Values&) const = default;

    Value of(std::uint8_t reg) const { return reg < kRegisters ? general[reg] : Value::few(1, -1); }
    Value at(std::int64_t place, std::int64_t bytes) const;
    void put(std::int64_t place, std::int64_t bytes, const Value& value);
    void forget_slots();
    // What holds on either way. True if anything changed.
    bool merge(const Values& other);
};

// What a call may change, and what it returns.
struct CallValues {
    std::uint32_t writes = 0;         // general registers, by bit
    std::uint32_t vector_writes = 0;  // likewise
    bool keeps_memory = false;
    Value result;  // in the first register for results
    struct Slot {
        std::int64_t place = 0;
        std::int64_t bytes = 0;
        Value value;
    };
    std::vector<Slot> slots = {};  // of the stack, from the stack pointer at the begin: where it puts results
};

struct ValueFlowInput {
    const Decoder& decoder;
    const CodeBytes& code;
    const FlowGraph& graph;
    const CodeBytes& constants;         // memory that never changes
    std::vector<std::uint32_t> blocks;  // the piece of code
    std::uint32_t first = 0;            // of them: where it begins
    // Whether nothing in it changes what such an operand reads, which is not of the stack. Empty: it is not known.
    std::function<bool(const MemoryOperand&)> is_steady = {};
    std::function<CallValues(const Instruction&, const Values&)> call = {};
};

// Of a memory operand: whether it is of the stack, and where, from the stack pointer at the begin, if that is known.
struct StackPlace {
    bool is_stack = false;
    bool is_known = false;
    std::int64_t place = 0;
};
StackPlace stack_place(const MemoryOperand& operand, const Values& values);

// "push" and "pop": on x86-64 they have no operand in memory.
bool is_push(const Instruction& in);
bool is_pop(const Instruction& in);

class ValueFlow {
  public:
    // Of the values at the begin of `input.first`, those at each block's: on a way round, back to `first`, nothing is
    // merged. Cost: each block's instructions are decoded as often as its values change, which each does once at
    // most.
    ValueFlow(const ValueFlowInput& input, const Values& begin);

    // Calls visit(block, instruction's address, instruction, values before it) for all that is reached.
    void each(
        const std::function<void(std::uint32_t, std::uint64_t, const Instruction&, const Values&)>& visit) const;
    // Null: not reached.
    const Values* at_begin(std::uint32_t block) const;
    // Precondition: it is reached.
    Values at_end(std::uint32_t block) const;
    bool is_decoded() const { return is_decoded_; }  // all of it

  private:
    template <typename Visit>
    bool pass_block(std::uint32_t number, Values* values, const Visit& visit) const;
    void pass(std::uint64_t address, const Instruction& in, Values* values) const;
    Value loaded(std::uint64_t address, const Instruction& in, const Values& values) const;
    Value made(std::uint64_t address, const Instruction& in, const Values& values) const;

    ValueFlowInput input_;
    std::map<std::uint32_t, Values> at_begin_;
    bool is_decoded_ = true;
};

}  // namespace kymo::program
