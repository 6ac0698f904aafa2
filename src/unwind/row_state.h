// The rules that hold at one address, as the call-frame program evaluator keeps them, and as an extended rule keeps
// them for the few addresses whose rules do not fit a RuleWord. Terms: DWARF 5, section 6.4.1.
#pragma once

#include <cstdint>
#include <cstring>

namespace kymo::unwind {

enum class RegisterRule : std::uint8_t {
    kSame = 0,         // unchanged, or not mentioned
    kUndefined,        // not recoverable
    kOffset,           // saved at CFA + value
    kValueOffset,      // is CFA + value
    kRegister,         // is in register number `value`
    kExpression,       // saved at the address that the expression gives
    kValueExpression,  // is what the expression gives
};

// Where an expression's bytes are: in the section while compiling, in the table's pool afterwards.
struct ExpressionPlace {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
};
constexpr std::int64_t pack(ExpressionPlace place) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(place.offset) << 32U | place.size);
}
constexpr ExpressionPlace unpack(std::int64_t value) {
    return {static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32U), static_cast<std::uint32_t>(value)};
}

// Largest number of registers an architecture may have here (DWARF numbers 0 … n−1).
inline constexpr unsigned kMaxRegisters = 34;

struct RowState {
    bool cfa_is_expression = false;
    bool signal_frame = false;
    std::uint16_t cfa_register = 0;
    std::int64_t cfa_value = 0;  // offset from the register, or a packed ExpressionPlace
    std::int64_t value[kMaxRegisters] = {};
    RegisterRule rule[kMaxRegisters] = {};

    bool operator==(const RowState&) const = default;
};

// A row as kept in a table.
using ExtendedRule = RowState;

}  // namespace kymo::unwind
