// x86-64: a cursor over the frames of a stack, and one step of it.
//
// Contract: no system calls, no memory outside the view and the table; usable in signal handlers. Registers that a
// function may change at will are known in the interrupted frame only; the preserved ones are followed by noting
// *where* they were saved and are read when a rule asks for them, which is seldom.
#pragma once

#include "unwind/memory_view.h"
#include "unwind/step_result.h"
#include "unwind/table.h"
#include "unwind/x86_64/rule.h"

namespace kymo::unwind::x86_64 {

class Cursor {
  public:
    explicit Cursor(const Registers& start) : pc_(start.pc), sp_(start.sp()), origin_(&start) {}
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    std::uint64_t pc() const { return pc_; }
    std::uint64_t sp() const { return sp_; }

    // After kOutsideStack: an address near which memory was missing.
    std::uint64_t missing() const { return missing_; }

    // The value of a register here. False: not known (any more).
    bool get(unsigned number, const MemoryView& stack, std::uint64_t* value) const {
        for (unsigned i = 0; i < kPreserved.size(); ++i) {
            if (kPreserved[i] == number) {
                return preserved(i, stack, value);
            }
        }
        *value = number == kRsp ? sp_ : number < kGeneralRegisters ? origin_->general[number] : pc_;
        return number == kRsp || number == kReturnAddress || (number < kGeneralRegisters && all_known_);
    }

    // What is known of the registers here: the preserved ones, the stack pointer, the program counter. The others are
    // 0.
    Registers registers(const MemoryView& stack) const {
        Registers here;
        for (unsigned i = 0; i < kPreserved.size(); ++i) {
            std::uint64_t value = 0;
            here.general[kPreserved[i]] = preserved(i, stack, &value) ? value : 0;
        }
        here.general[kRsp] = sp_;
        here.pc = pc_;
        return here;
    }

    // By a rule of kind kPlain.
    StepResult step(RuleWord rule, const MemoryView& stack) {
        std::uint64_t base = sp_;
        if ((rule & kKindAndBase) != plain_with_base(kRsp) && !get(base_of(rule), stack, &base)) {
            return StepResult::kBadRule;
        }
        return step_to(base + offset_of(rule), rule, stack);
    }

    // The caller's stack pointer by a rule of kind kPlain whose base is a register that functions may change at will,
    // if none has since the interrupted frame. 0: its base is another one, or that frame's registers are not there
    // any more.
    std::uint64_t cfa_if_unchanged(RuleWord rule) const {
        const unsigned base = base_of(rule);
        for (const unsigned number : kPreserved) {
            if (number == base) {
                return 0;
            }
        }
        return base == kRsp || origin_ == &own_ ? 0 : origin_->general[base] + offset_of(rule);
    }

    // By a rule of kind kPlain, to this caller's stack pointer.
    StepResult step_to(std::uint64_t cfa, RuleWord rule, const MemoryView& stack) {
        if (cfa <= sp_) {
            return StepResult::kNoProgress;
        }
        if (!stack.read(cfa - 8, &pc_)) {
            missing_ = cfa - 8;
            return StepResult::kOutsideStack;
        }
        if ((rule & kAllSlots) != 0) {
            for (unsigned i = 0; i < kPreserved.size(); ++i) {
                const unsigned slot = slot_of(rule, i);
                saved_at_[i] = slot != 0 ? cfa - std::uint64_t{8} * slot : saved_at_[i];
            }
        }
        sp_ = cfa;
        all_known_ = false;
        return StepResult::kOk;
    }

    // By a rule of kind kExtended. `operations`: of its expressions, how many may be made; counted down.
    StepResult step(const ExtendedRule& rule, const Table& table, const MemoryView& stack, unsigned* operations);

    // To a caller found without a rule: everything but what is given is unknown there or unchanged.
    void recover(std::uint64_t pc, std::uint64_t sp) { recover(pc, sp, nullptr); }
    void recover(std::uint64_t pc, std::uint64_t sp, const std::uint64_t* frame_pointer);

    // The same, with the places where preserved registers were saved, by index; 0: unchanged.
    using SavedAt = std::array<std::uint64_t, kPreserved.size()>;
    void recover(std::uint64_t pc, std::uint64_t sp, const SavedAt& saved) {
        for (unsigned i = 0; i < saved.size(); ++i) {
            saved_at_[i] = saved[i] != 0 ? saved[i] : saved_at_[i];
        }
        recover(pc, sp);
    }

    // To a frame that a signal interrupted, with all of its registers.
    void resume(const Registers& interrupted) {
        own_ = interrupted;
        origin_ = &own_;
        lost_ = 0;
        saved_at_ = {};
        all_known_ = true;
        pc_ = interrupted.pc;
        sp_ = interrupted.sp();
    }

    // To another address and stack pointer; the registers are the same there.
    void move(std::uint64_t pc, std::uint64_t sp) {
        pc_ = pc;
        sp_ = sp;
    }

    // Reads every register from the stack that it was saved to: afterwards another view may take that one's place.
    void detach(const MemoryView& stack);

  private:
    bool preserved(unsigned index, const MemoryView& stack, std::uint64_t* value) const {
        if (saved_at_[index] != 0) {
            return stack.read(saved_at_[index], value);
        }
        *value = origin_->general[kPreserved[index]];
        return (lost_ >> index & 1U) == 0;
    }

    std::uint64_t pc_;
    std::uint64_t sp_;
    std::array<std::uint64_t, kPreserved.size()> saved_at_{};  // 0: still as in *origin_
    const Registers* origin_;
    std::uint32_t lost_ = 0;  // preserved registers (by index) that *origin_ does not have
    bool all_known_ = true;   // the other general registers are as in *origin_
    std::uint64_t missing_ = 0;
    Registers own_;  // *origin_ once it is no longer the start
};

}  // namespace kymo::unwind::x86_64
