// Finds a frame's caller without a rule, on architectures with a link register: by what the function does until it
// returns, by the frame record that the frame pointer points to, or (if a linkage table's entry was interrupted)
// by the return address in its register.
//
// Contract: as recovery.h. Every candidate must be a return address: in known code, behind a call instruction. It
// is still a guess: the walk marks the path.
#pragma once

#include "unwind/link_register/frame_trace.h"
#include "unwind/link_register/rule.h"
#include "unwind/recovery.h"

namespace kymo::unwind::link_register {

// The value of `held`, with the registers of `cursor`.
template <class Rules>
bool value_of(const Held& held, const Cursor<Rules>& cursor, const MemoryView& stack, std::uint64_t* value) {
    if (held.kind == Held::Kind::kUnknown || !cursor.get(held.number, stack, value)) {
        return false;
    }
    *value += static_cast<std::uint64_t>(held.offset);
    return held.kind == Held::Kind::kRegister || stack.read(*value, value);
}

template <class Numbers, class Code>
bool recover_by_trace(Cursor<Rules<Numbers>>& cursor, const MemoryView& stack, const Code& code,
                      const FrameTrace<Numbers>& trace) {
    std::uint64_t top = 0;
    std::uint64_t caller = 0;
    if (!value_of(trace.stack_pointer(), cursor, stack, &top) ||
        !value_of(trace.return_address(), cursor, stack, &caller) || top < cursor.sp() || top % 8 != 0) {
        return false;
    }
    caller = Numbers::code_address(caller);
    // If the return address is in its register (only in the interrupted frame), nothing need be on the stack.
    if ((top == cursor.sp() && trace.return_address().kind == Held::Kind::kMemory) ||
        (!code.is_return_address(caller) && !code.is_handler_return(caller))) {
        return false;
    }
    typename Cursor<Rules<Numbers>>::SavedAt saved{};
    Held frame = trace.frame_pointer();
    if (frame.kind == Held::Kind::kMemory) {
        frame.kind = Held::Kind::kRegister;
        if (!value_of(frame, cursor, stack, &saved[0])) {
            return false;
        }
    }
    if (!has_a_caller(cursor, saved, caller, top, stack, code)) {
        return false;
    }
    const Held unchanged{Held::Kind::kRegister, Numbers::kFramePointer, 0};
    std::uint64_t frame_pointer = 0;  // few rules work if it is not known
    if (saved[0] == 0 && frame != unchanged) {
        value_of(frame, cursor, stack, &frame_pointer);
        cursor.recover(caller, top, &frame_pointer);
    } else {
        cursor.recover(caller, top, saved);
    }
    return true;
}

// If only the frame pointer is known of the frame, and the function's rule counts from the stack pointer: if the
// rule saves both as in a frame record, the frame pointer is where they are. If it does not, the frame pointer
// belongs to another function, and no caller is returned.
template <class Record, class Rules, class Code>
bool recover_by_rule_and_record(Cursor<Rules>& cursor, const MemoryView& stack, RuleWord rule, const Code& code) {
    const std::uint64_t below = std::uint64_t{8} * Rules::return_slot(rule);
    const std::uint64_t frame_below = std::uint64_t{8} * Rules::slot_of(rule, 0);
    std::uint64_t record = 0;
    std::uint64_t caller = 0;
    return below != 0 && frame_below != 0 && below - frame_below == Record::kFrame - Record::kReturn &&
           cursor.get(Rules::kPreserved[0], stack, &record) && stack.read(record + Record::kReturn, &caller) &&
           code.is_return_address(Rules::code_address(caller)) &&
           cursor.step_to(record + Record::kReturn + below, rule, stack) == StepResult::kOk;
}

// `Machine`: an architecture's, with its Numbers, decode() and FrameRecord.
template <class Machine, class Code>
bool recover_caller(Cursor<Rules<typename Machine::Numbers>>& cursor, const MemoryView& stack, bool interrupted,
                    const Code& code, FrameChain* chain) {
    using Numbers = typename Machine::Numbers;
    using Record = typename Machine::FrameRecord;
    if (!interrupted && code.is_handler_return(cursor.pc())) {
        return false;  // if the signal frame is not recognised, a frame record would skip the interrupted function
    }
    const RuleWord rule = code.rule_at(cursor.pc() - (interrupted ? 0 : 1));
    const bool has_rule = kind_of(rule) == RuleKind::kPlain;
    if (has_rule && !cursor.knows_sp() && Rules<Numbers>::is_by_stack_pointer(rule)) {
        return recover_by_rule_and_record<Record>(cursor, stack, rule, code);
    }
    FrameTrace<Numbers> trace;
    const bool returns = trace.run(code.behind(cursor.pc()), Machine::decode);
    if (returns && recover_by_trace(cursor, stack, code, trace)) {
        return true;
    }
    std::uint64_t caller = 0;
    if (interrupted && trace.jumps_first() && cursor.get(Numbers::kReturnAddress, stack, &caller) &&
        code.is_return_address(Numbers::code_address(caller))) {
        cursor.recover(Numbers::code_address(caller), cursor.sp());
        return true;
    }
    // If the rule leaves the frame pointer unchanged, the record is a caller's: its return address would skip that
    // caller.
    return (!has_rule || Rules<Numbers>::slot_of(rule, 0) != 0) &&
           recover_by_frame_record<Record>(cursor, stack, code, chain);
}

}  // namespace kymo::unwind::link_register
