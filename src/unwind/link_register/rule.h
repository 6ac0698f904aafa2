// The compact rule of architectures with a link register. One word says how to get from a frame to its caller:
//
//   CFA (the caller's stack pointer) = base register + offset
//   the return address is in its register still, or saved at CFA − 8 × slot
//   the frame pointer is unchanged, or saved at CFA − 8 × slot
//
//   bits  0–2   RuleKind
//   bits  3–7   base register (DWARF number)
//   bits  8–20  slot of the return address; 0: in its register
//   bits 21–33  slot of the frame pointer; 0: unchanged
//   bits 34–63  offset, signed, in bytes
//
// The return address is in its register only in the frame that was interrupted: a call has written over it in every
// other. Of the registers that functions hand back only the frame pointer is followed, as compilers compute a CFA
// from it or from the stack pointer: a rule that needs another one works in the interrupted frame, else the caller is
// recovered. What does not fit is an extended rule.
#pragma once

#include "unwind/link_register/registers.h"
#include "unwind/row_state.h"
#include "unwind/rule_kind.h"

namespace kymo::unwind::link_register {

template <class Numbers>
struct Rules {
    using Registers = link_register::Registers<Numbers>;
    static constexpr unsigned kGeneralRegisters = link_register::kGeneralRegisters;
    static constexpr unsigned kRuleRegisters = kGeneralRegisters;
    static constexpr unsigned kStackPointer = Numbers::kStackPointer;
    static constexpr unsigned kReturnAddress = Numbers::kReturnAddress;
    static constexpr std::array<unsigned, 1> kPreserved = {Numbers::kFramePointer};
    static constexpr bool kLosesStackPointer = Numbers::kLosesStackPointer;

    static constexpr unsigned kBaseShift = 3;
    static constexpr unsigned kBaseBits = 5;
    static constexpr unsigned kSlotBits = 13;
    static constexpr unsigned kReturnShift = kBaseShift + kBaseBits;
    static constexpr unsigned kFrameShift = kReturnShift + kSlotBits;
    static constexpr unsigned kOffsetShift = kFrameShift + kSlotBits;
    static constexpr RuleWord kSlotMask = (RuleWord{1} << kSlotBits) - 1;

    static constexpr RuleWord plain(unsigned base, std::int64_t offset, RuleWord return_slot, RuleWord frame_slot) {
        return static_cast<RuleWord>(RuleKind::kPlain) | static_cast<RuleWord>(base) << kBaseShift |
               return_slot << kReturnShift | frame_slot << kFrameShift |
               static_cast<RuleWord>(offset) << kOffsetShift;
    }
    static constexpr unsigned base_of(RuleWord rule) {
        return static_cast<unsigned>(rule >> kBaseShift) & ((1U << kBaseBits) - 1);
    }
    static constexpr bool is_by_stack_pointer(RuleWord rule) { return base_of(rule) == kStackPointer; }
    static constexpr std::uint64_t offset_of(RuleWord rule) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(rule) >> kOffsetShift);
    }
    static constexpr unsigned return_slot(RuleWord rule) {
        return static_cast<unsigned>(rule >> kReturnShift & kSlotMask);
    }
    static constexpr bool has_slots(RuleWord rule) { return (rule >> kFrameShift & kSlotMask) != 0; }
    static constexpr unsigned slot_of(RuleWord rule, unsigned /*index*/) {
        return static_cast<unsigned>(rule >> kFrameShift & kSlotMask);
    }
    static constexpr std::uint64_t code_address(std::uint64_t value) { return Numbers::code_address(value); }
};

// Keeps, while a call-frame program runs, what the rule word will need.
template <class Numbers>
class RulePacker {
  public:
    static constexpr unsigned kRegisters = Rules<Numbers>::kRuleRegisters;
    static constexpr unsigned kReturnRegister = Numbers::kReturnAddress;
    static constexpr unsigned kStackPointer = Numbers::kStackPointer;
    static constexpr bool kPushesReturnAddress = false;
    static constexpr bool kSignalRowsBeginEarly = true;

    static constexpr bool is_marker(std::uint8_t operation) { return Numbers::is_marker(operation); }

    void note(unsigned number, RegisterRule rule, std::int64_t value) {
        if (number == Numbers::kReturnAddress) {
            set_slot(&return_slot_, kOddReturn, rule, value);
        } else if (number == Numbers::kFramePointer) {
            set_slot(&frame_slot_, kOddFrame, rule, value);
        } else if (number == Numbers::kStackPointer) {
            set_odd(kOddStack, rule != RegisterRule::kSame && (rule != RegisterRule::kValueOffset || value != 0));
        }
    }

    RuleWord pack(const RowState& row) const {
        if (row.rule[Numbers::kReturnAddress] == RegisterRule::kUndefined) {
            return simple_rule(RuleKind::kBottom);
        }
        constexpr std::int64_t kLimit = std::int64_t{1} << (63 - Rules<Numbers>::kOffsetShift);
        const bool is_plain = odd_ == 0 && !row.cfa_is_expression && !row.signal_frame &&
                              row.cfa_register < kGeneralRegisters && row.cfa_value < kLimit &&
                              row.cfa_value >= -kLimit;
        return is_plain ? Rules<Numbers>::plain(row.cfa_register, row.cfa_value, return_slot_, frame_slot_)
                        : extended_rule(0);
    }

  private:
    static constexpr unsigned kOddReturn = 1;
    static constexpr unsigned kOddFrame = 2;
    static constexpr unsigned kOddStack = 4;

    void set_slot(RuleWord* slot, unsigned bit, RegisterRule rule, std::int64_t value) {
        constexpr auto kLowest = -8 * static_cast<std::int64_t>(Rules<Numbers>::kSlotMask);
        const bool fits = rule == RegisterRule::kOffset && value % 8 == 0 && value <= -8 && value >= kLowest;
        *slot = fits ? static_cast<RuleWord>(-value / 8) : 0;
        set_odd(bit, !fits && rule != RegisterRule::kSame);
    }
    void set_odd(unsigned bit, bool odd) { odd_ = odd ? odd_ | bit : odd_ & ~bit; }

    RuleWord return_slot_ = 0;
    RuleWord frame_slot_ = 0;
    unsigned odd_ = 0;  // which rules do not fit the word
};

}  // namespace kymo::unwind::link_register
