// Steps that somebody outside does not want for now. A step is one byte away from nothing, so that whoever runs it
// meanwhile does the one or the other.
#include "hooks/guest/apply.h"

namespace kymo::hooks {
namespace {

using cells::Operation;
using cells::Step;

void set(Operation& operation, Operation value) {
    __atomic_store(&operation, &value, __ATOMIC_RELAXED);
}

void switch_step(Step& step, bool off) {
    if (off && step.operation != Operation::kNothing) {
        step.reserved[0] = static_cast<std::uint8_t>(step.operation);
        set(step.operation, Operation::kNothing);
    } else if (!off && step.operation == Operation::kNothing) {
        set(step.operation, static_cast<Operation>(step.reserved[0]));
    }
}

}  // namespace

void Hooks::switch_off(const std::uint64_t (&cells)[2], const std::uint32_t (&bindings)[cells::kTaskTimers]) {
    const auto is_off = [&cells](std::uint32_t cell) { return (cells[cell / 64 % 2] >> cell % 64 & 1U) != 0; };
    // The plan's bytes are the process's own copy (begin()).
    auto* const steps = const_cast<Step*>(plan_.steps.data());
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        Step& step = steps[i];
        const auto operation =
            step.operation == Operation::kNothing ? static_cast<Operation>(step.reserved[0]) : step.operation;
        if (operation == Operation::kSet || operation == Operation::kAdd || operation == Operation::kSubtract) {
            switch_step(step, is_off(step.target));
        } else if (operation == Operation::kStart) {
            switch_step(step, is_off(bindings[step.target % cells::kTaskTimers]));
        }
    }
    // What the trampolines add: to the cell that is nobody's.
    const auto lead = [&is_off](Addition& addition, const Step& step) {
        const std::uint64_t cell = is_off(step.target) ? cells::kNoCell : step.target;
        __atomic_store_n(&addition.cell, cell * sizeof(std::uint64_t), __ATOMIC_RELAXED);
    };
    for (std::uint32_t i = 1; i < hook_count_; ++i) {
        Hook& hook = hooks_[i];
        if (hook.is_quick && hook.entry_steps == 1) {
            lead(hook.quick_entry, *hook.entry);
        }
        if (hook.is_quick && hook.exit_steps == 1) {
            lead(hook.quick_exit, *hook.exit);
        }
    }
}

}  // namespace kymo::hooks
