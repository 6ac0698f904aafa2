// x86-64: the compact rule. One word leads from a frame to its caller:
//
//     CFA (the caller's stack pointer) = base register + offset
//     the return address is at CFA − 8
//     each preserved register is unchanged, or saved at CFA − 8 × slot
//
//     bits  0–2   RuleKind
//     bits  3–6   base register (DWARF number)
//     bits  8–37  slots of rbp, rbx, r12, r13, r14, r15: five bits each, 0 for unchanged
//     bits 40–63  offset, signed, in bytes
//
// About 99.9 % of the rows of real images fit. Others (expressions, return addresses elsewhere, signal frames) are
// extended rules. Preserved registers other than rbp are kept because hand-written code uses them as CFA base
// while it calls others: glibc's _dl_runtime_resolve_xsavec has CFA = rbx + 24 during symbol look-up.
#pragma once

#include "unwind/row_state.h"
#include "unwind/rule_kind.h"
#include "unwind/x86_64/registers.h"

namespace kymo::unwind::x86_64 {

inline constexpr unsigned kBaseShift = 3;
inline constexpr unsigned kSlotShift = 8;
inline constexpr unsigned kSlotBits = 5;
inline constexpr unsigned kOffsetShift = 40;
inline constexpr RuleWord kSlotMask = (1U << kSlotBits) - 1;
inline constexpr RuleWord kAllSlots = ((RuleWord{1} << (kSlotBits * kPreserved.size())) - 1) << kSlotShift;
inline constexpr RuleWord kKindAndBase = 0x7F;

constexpr RuleWord plain_with_base(unsigned base) {
    return static_cast<RuleWord>(RuleKind::kPlain) | static_cast<RuleWord>(base) << kBaseShift;
}
constexpr unsigned base_of(RuleWord rule) {
    return static_cast<unsigned>(rule >> kBaseShift) & 0x0FU;
}
constexpr std::uint64_t offset_of(RuleWord rule) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(rule) >> kOffsetShift);
}
// Index as in kPreserved.
constexpr unsigned slot_of(RuleWord rule, unsigned index) {
    return static_cast<unsigned>(rule >> (kSlotShift + kSlotBits * index) & kSlotMask);
}

// The requirements of the cursor (cursor.h) on a rule and on the registers.
struct Rules {
    using Registers = x86_64::Registers;
    static constexpr unsigned kGeneralRegisters = x86_64::kGeneralRegisters;
    static constexpr unsigned kRuleRegisters = x86_64::kRuleRegisters;
    static constexpr unsigned kStackPointer = kRsp;
    static constexpr unsigned kReturnAddress = x86_64::kReturnAddress;
    static constexpr const auto& kPreserved = x86_64::kPreserved;
    static constexpr bool kLosesStackPointer = false;

    static constexpr bool is_by_stack_pointer(RuleWord rule) {
        return (rule & kKindAndBase) == plain_with_base(kRsp);
    }
    static constexpr unsigned base_of(RuleWord rule) { return x86_64::base_of(rule); }
    static constexpr std::uint64_t offset_of(RuleWord rule) { return x86_64::offset_of(rule); }
    static constexpr unsigned return_slot(RuleWord /*rule*/) { return 1; }  // always on the stack
    static constexpr bool has_slots(RuleWord rule) { return (rule & kAllSlots) != 0; }
    static constexpr unsigned slot_of(RuleWord rule, unsigned index) { return x86_64::slot_of(rule, index); }
    static constexpr std::uint64_t code_address(std::uint64_t value) { return value; }
};

// Keeps, while a call-frame program runs, the data for the rule word, so that making one takes a few instructions.
class RulePacker {
  public:
    static constexpr unsigned kRegisters = kRuleRegisters;
    static constexpr unsigned kReturnRegister = kReturnAddress;
    static constexpr unsigned kStackPointer = kRsp;
    static constexpr bool kPushesReturnAddress = true;
    static constexpr bool kSignalRowsBeginEarly = false;

    // Instructions of the processor's own that change no rule.
    static constexpr bool is_marker(std::uint8_t /*operation*/) { return false; }

    // A register's rule has changed.
    void note(unsigned number, RegisterRule rule, std::int64_t value) {
        const std::uint32_t bit = 1U << number;
        if (number == kReturnAddress) {
            set_odd(bit, rule != RegisterRule::kOffset || value != -8);
        } else if (number == kRsp) {
            set_odd(bit, rule != RegisterRule::kValueOffset || value != 0);
        } else if (const int field = field_of(number); field >= 0) {
            const auto shift = kSlotShift + kSlotBits * static_cast<unsigned>(field);
            slots_ &= ~(kSlotMask << shift);
            const bool fits = rule == RegisterRule::kOffset && value % 8 == 0 && value <= -8 && value >= -8 * 31;
            if (fits) {
                slots_ |= static_cast<RuleWord>(-value / 8) << shift;
            }
            set_odd(bit, !fits && rule != RegisterRule::kSame);
        }
    }

    // The word for the row, or kExtended (index 0) where the row does not fit one.
    RuleWord pack(const RowState& row) const {
        if (row.rule[kReturnAddress] == RegisterRule::kUndefined) {
            return simple_rule(RuleKind::kBottom);
        }
        constexpr std::int64_t kLimit = std::int64_t{1} << (63 - kOffsetShift);
        const bool plain = odd_ == 0 && !row.cfa_is_expression && !row.signal_frame &&
                           row.cfa_register < kGeneralRegisters && row.cfa_value < kLimit && row.cfa_value >= -kLimit;
        return plain
                   ? plain_with_base(row.cfa_register) | slots_ | static_cast<RuleWord>(row.cfa_value) << kOffsetShift
                   : extended_rule(0);
    }

  private:
    static constexpr int field_of(unsigned number) {
        constexpr std::array<signed char, kGeneralRegisters> kField = {-1, -1, -1, 1,  -1, -1, 0, -1,
                                                                       -1, -1, -1, -1, 2,  3,  4, 5};
        return number < kGeneralRegisters ? kField[number] : -1;
    }
    void set_odd(std::uint32_t bit, bool odd) { odd_ = odd ? odd_ | bit : odd_ & ~bit; }

    RuleWord slots_ = 0;
    // Registers whose rule does not fit the word. A return address without a rule is odd.
    std::uint32_t odd_ = 1U << kReturnAddress;
};

}  // namespace kymo::unwind::x86_64
