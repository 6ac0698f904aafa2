// The rarely needed part of a cursor (cursor.h): steps by rules of the long form, other stacks, recovered callers.
// Included by each architecture's step.cpp alone.
#pragma once

#include "unwind/cursor.h"
#include "unwind/expression.h"

namespace kymo::unwind {

inline StepResult result_of(ExpressionError error) {
    return error == ExpressionError::kOutsideMemory ? StepResult::kOutsideStack : StepResult::kBadRule;
}

// The caller's value of one register by its rule. kOk: *value is set, or *known is false (undefined, or saved
// where it cannot be read: not a reason to stop, since it may never be needed).
inline StepResult caller_value(const ExtendedRule& rule, const Table& table, const MemoryView& stack,
                               const RegisterFile& here, unsigned number, std::uint64_t cfa, std::uint64_t* value,
                               bool* known, unsigned* operations) {
    const std::int64_t operand = rule.value[number];
    const auto at = static_cast<std::uint64_t>(operand);
    *known = true;
    switch (rule.rule[number]) {
        case RegisterRule::kSame:
            *known = here.get(number, value);
            return StepResult::kOk;
        case RegisterRule::kUndefined:
            *known = false;
            return StepResult::kOk;
        case RegisterRule::kOffset:
            *known = stack.read(cfa + at, value);
            return *known ? StepResult::kOk : StepResult::kOutsideStack;
        case RegisterRule::kValueOffset:
            *value = cfa + at;
            return StepResult::kOk;
        case RegisterRule::kRegister:
            *known = here.get(at, value);
            return *known ? StepResult::kOk : StepResult::kBadRule;
        case RegisterRule::kExpression:
        case RegisterRule::kValueExpression: {
            const ExpressionError error = evaluate(table.expression(operand), here, stack, &cfa, value, operations);
            *known = error == ExpressionError::kNone;
            if (*known && rule.rule[number] == RegisterRule::kExpression) {
                *known = stack.read(*value, value);
                return *known ? StepResult::kOk : StepResult::kOutsideStack;
            }
            return *known ? StepResult::kOk : result_of(error);
        }
    }
    return StepResult::kBadRule;
}

template <class Rules>
StepResult Cursor<Rules>::step(const ExtendedRule& rule, const Table& table, const MemoryView& stack,
                               unsigned* operations) {
    RegisterFile here;
    for (unsigned i = 0; i < Rules::kRuleRegisters; ++i) {
        if (std::uint64_t value = 0; get(i, stack, &value)) {
            here.set(i, value);
        }
    }
    std::uint64_t cfa = 0;
    if (rule.cfa_is_expression) {
        const ExpressionError error =
            evaluate(table.expression(rule.cfa_value), here, stack, nullptr, &cfa, operations);
        if (error != ExpressionError::kNone) {
            missing_ = cfa;
            return result_of(error);
        }
    } else if (here.get(rule.cfa_register, &cfa)) {
        cfa += static_cast<std::uint64_t>(rule.cfa_value);
    } else {
        return StepResult::kBadRule;
    }

    missing_ = cfa - 8;
    std::uint64_t pc = 0;
    bool known = false;
    if (const StepResult result =
            caller_value(rule, table, stack, here, Rules::kReturnAddress, cfa, &pc, &known, operations);
        result != StepResult::kOk || !known) {
        return result != StepResult::kOk ? result : StepResult::kBadRule;
    }
    pc = Rules::code_address(pc);
    std::uint64_t sp = cfa;
    if (rule.rule[kStackPointer] != RegisterRule::kSame) {
        if (caller_value(rule, table, stack, here, kStackPointer, cfa, &sp, &known, operations) != StepResult::kOk ||
            !known) {
            return StepResult::kBadRule;
        }
    }
    // The stack is empty only if a function has popped its return address into a register (vfork, longjmp): in the
    // interrupted frame, once.
    if (!rule.signal_frame && (sp < sp_ || (sp == sp_ && !all_known_))) {
        return StepResult::kNoProgress;
    }

    Registers caller;
    std::uint32_t lost = 0;
    for (unsigned i = 0; i < kPreserved.size(); ++i) {
        known = false;
        caller_value(rule, table, stack, here, kPreserved[i], cfa, &caller.general[kPreserved[i]], &known,
                     operations);
        lost |= known ? 0U : 1U << i;
    }
    for (unsigned i = 0; i < kGeneral && rule.signal_frame; ++i) {
        caller_value(rule, table, stack, here, i, cfa, &caller.general[i], &known, operations);
    }
    own_ = caller;
    origin_ = &own_;
    lost_ = lost;
    saved_at_ = {};
    all_known_ = rule.signal_frame;
    pc_ = pc;
    set_sp(sp);
    return rule.signal_frame ? StepResult::kSignal : StepResult::kOk;
}

template <class Rules>
void Cursor<Rules>::detach(const MemoryView& stack) {
    Registers values = *origin_;
    std::uint32_t lost = 0;
    for (unsigned i = 0; i < kPreserved.size(); ++i) {
        lost |= preserved(i, stack, &values.general[kPreserved[i]]) ? 0U : 1U << i;
    }
    own_ = values;
    origin_ = &own_;
    lost_ = lost;
    saved_at_ = {};
}

template <class Rules>
void Cursor<Rules>::recover(std::uint64_t pc, std::uint64_t sp, const std::uint64_t* frame_pointer) {
    if (frame_pointer != nullptr) {
        own_ = *origin_;
        own_.general[kPreserved[0]] = *frame_pointer;
        origin_ = &own_;
        saved_at_[0] = 0;
        lost_ &= ~1U;
    }
    pc_ = pc;
    set_sp(sp);
    all_known_ = false;
}

}  // namespace kymo::unwind
