// Stack frames of Go functions by Go's own table: how deep the stack is at each instruction, and which functions have
// no caller on it.
//
// The depth is what the function has taken of the stack. Above it lies the caller's frame; the return address lies
// between them (a call has pushed it), or, where calls leave it in a register, at the lower end of the function's
// frame once it has one. Go's run time walks stacks by the same numbers (its traceback and symtab).
//
// Where the stack pointer moves to another stack nothing can be said of the caller: it is on a stack that the walk
// does not see. Such functions are marked since Go 1.17; those of older programs are known by their names.
#pragma once

#include "image/go_table.h"
#include "unwind/row_state.h"
#include "unwind/rule_kind.h"

#include <cstdint>
#include <string_view>

namespace kymo::unwind {

// kPlain: the table of depths holds.
inline RuleKind go_frame_kind(const image::GoTable& table, const image::GoFunction& function) {
    constexpr std::string_view kRuntime = "runtime.";
    // Callers of the vDSO, on a stack of their own for that time: they keep the old stack pointer in a register,
    // where it is found as with any code without rules.
    constexpr std::string_view kClocks[] = {"nanotime1", "walltime", "walltime1"};
    constexpr std::string_view kOutermost[] = {"goexit", "mstart", "rt0_go"};
    constexpr std::string_view kSwitches[] = {"asmcgocall", "gogo", "morestack", "systemstack"};
    constexpr std::string_view kScheduler = "mcall";  // what it calls chooses another goroutine
    // By these C calls back into Go. They change stacks as well, but give themselves a frame of the same size on
    // both, so that their depths hold before and after: behind them lie the frames from which the goroutine had
    // called C.
    constexpr std::string_view kBothStacks[] = {"cgocallback", "cgocallback_gofunc"};
    const auto is_one_of = [](std::string_view name, const auto& names) {
        for (const std::string_view one : names) {
            if (name == one) {
                return true;
            }
        }
        return false;
    };
    if (!table.has_prefix(function.name, kRuntime)) {
        return function.is_outermost           ? RuleKind::kBottom
               : function.writes_stack_pointer ? RuleKind::kBad
                                               : RuleKind::kPlain;
    }
    std::string_view name = table.name(function.name);
    if (name.size() < kRuntime.size()) {
        return RuleKind::kBad;  // it does not end
    }
    name.remove_prefix(kRuntime.size());
    // Marked as outermost, but what a signal has interrupted is behind it, and its depths hold.
    if (name == "sigtramp" || is_one_of(name, kBothStacks)) {
        return RuleKind::kPlain;
    }
    if (name == kScheduler) {
        return RuleKind::kHandOver;
    }
    if (function.is_outermost || is_one_of(name, kOutermost)) {
        return RuleKind::kBottom;
    }
    if (function.writes_stack_pointer) {
        return is_one_of(name, kClocks) ? RuleKind::kBad : RuleKind::kSwitch;
    }
    return is_one_of(name, kSwitches) ? RuleKind::kSwitch : RuleKind::kPlain;
}

// The rule at a depth in bytes.
template <class Packer>
RuleWord go_rule(std::int32_t depth) {
    constexpr std::int64_t kWord = 8;
    if (depth < 0 || depth % kWord != 0) {
        return simple_rule(RuleKind::kBad);
    }
    RowState row;
    Packer packer;
    row.cfa_register = Packer::kStackPointer;
    row.cfa_value = depth + (Packer::kPushesReturnAddress ? kWord : 0);
    const bool is_saved = Packer::kPushesReturnAddress || depth != 0;
    row.rule[Packer::kReturnRegister] = is_saved ? RegisterRule::kOffset : RegisterRule::kSame;
    row.value[Packer::kReturnRegister] = Packer::kPushesReturnAddress ? -kWord : -std::int64_t{depth};
    packer.note(Packer::kReturnRegister, row.rule[Packer::kReturnRegister], row.value[Packer::kReturnRegister]);
    const RuleWord rule = packer.pack(row);
    return kind_of(rule) == RuleKind::kPlain ? rule : simple_rule(RuleKind::kBad);
}

}  // namespace kymo::unwind
