#include "hooks/guest/hook_table.h"

#include "hooks/native.h"
#include "image/arena.h"

#include <algorithm>

namespace kymo::hooks {
namespace {

using cells::Operation;
using cells::Step;

// False: more than one addition is needed.
bool is_addition(const Step* steps, std::uint32_t count, Addition* out) {
    if (count == 0) {
        return true;  // of nothing
    }
    const bool subtracts = steps->operation == Operation::kSubtract;
    if (count != 1 || steps->right.source != cells::Source::kConstant ||
        (!subtracts && steps->operation != Operation::kAdd)) {
        return false;
    }
    *out = {subtracts ? ~steps->constant + 1 : steps->constant, steps->target * sizeof(std::uint64_t)};
    return true;
}

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

bool HookTable::make(const Plan& plan, std::uint32_t more) {
    plan_ = plan;
    room_ = static_cast<std::uint32_t>(plan.entries.size()) + 1 + more;
    hooks_ = static_cast<Hook*>(image::map_pages(room_ * sizeof(Hook)));
    codes_ = static_cast<HookCode*>(image::map_pages(room_ * sizeof(HookCode)));
    if (hooks_ == nullptr || codes_ == nullptr) {
        return false;
    }
    for (const PlanPoint& point : plan.points) {
        any_exits_ = any_exits_ || point.exit_steps != 0 || point.calls != 0;
        functions_ = std::max(functions_, point.calls);
    }
    count_ = 1;
    for (const PlanEntry& entry : plan.entries) {
        add(&plan.points[entry.point], 0);
    }
    return true;
}

std::uint32_t HookTable::add(const PlanPoint* point, std::uint64_t continuation) {
    if (count_ == room_) {
        return 0;
    }
    Hook& hook = hooks_[count_];
    hook.continuation = continuation;
    if (point != nullptr) {
        hook.entry = plan_.steps.data() + point->first_entry;
        hook.entry_steps = static_cast<std::uint16_t>(point->entry_steps);
        hook.exit = plan_.steps.data() + point->first_exit;
        hook.exit_steps = static_cast<std::uint16_t>(point->exit_steps);
        hook.calls = static_cast<std::uint8_t>(point->calls);
        hook.follows = point->exit_steps != 0 || point->calls != 0 ? Follows::kItself
                       : any_exits_                                ? Follows::kOthers
                                                                   : Follows::kNobody;
        hook.is_quick = point->calls == 0 && is_addition(hook.entry, point->entry_steps, &hook.quick_entry) &&
                        is_addition(hook.exit, point->exit_steps, &hook.quick_exit);
    }
    return count_++;
}

Problem HookTable::make_code_of_others(Areas& areas) {
    const std::uint64_t bytes = kAreaHead + std::uint64_t{room_ - count_} * hook_bytes(0);
    std::uint8_t* begin = Areas::map(bytes, {});
    if (begin == nullptr) {
        return Problem::kNoMemory;
    }
    const auto area = reinterpret_cast<std::uint64_t>(begin);
    write_area_head(begin);
    std::uint8_t* at = begin + kAreaHead;
    for (std::uint32_t hook = count_; hook < room_; ++hook, at += hook_bytes(0)) {
        CodeWriter code(at);
        write_entry(code, area, hook);
        codes_[hook].entry = reinterpret_cast<std::uint64_t>(at);
    }
    const Area others{{area, area + bytes}, codes_ + count_, room_ - count_};
    return areas.publish(others) ? Problem::kNone : Problem::kNoCode;
}

// One byte makes a step a no-op, so a thread that runs it meanwhile executes either.
void HookTable::switch_off(const std::uint64_t (&cells)[2], const std::uint32_t (&bindings)[cells::kTaskTimers]) {
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
    // The trampolines' additions: those that are off add to an unused cell.
    const auto lead = [&is_off](Addition& addition, const Step& step) {
        const std::uint64_t cell = is_off(step.target) ? cells::kNoCell : step.target;
        __atomic_store_n(&addition.cell, cell * sizeof(std::uint64_t), __ATOMIC_RELAXED);
    };
    for (std::uint32_t i = 1; i < count_; ++i) {
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
