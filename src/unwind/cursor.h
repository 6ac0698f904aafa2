// A cursor over the frames of a stack, and one step of it, for any architecture. `Rules` is the architecture's
// part (its rule.h): the registers, and the fields of a compact rule.
//
// Contract: no system calls, no memory outside the view and the table; usable in signal handlers. Registers that a
// function may change freely are known in the interrupted frame only; for the preserved ones the cursor notes
// *where* they were saved, and reads them when a rule needs them, which is rare.
#pragma once

#include "unwind/memory_view.h"
#include "unwind/step_result.h"
#include "unwind/table.h"

#include <array>

namespace kymo::unwind {

template <class Rules>
class Cursor {
  public:
    using Registers = typename Rules::Registers;
    // By index in Rules::kPreserved: where that register was saved; 0: nowhere yet.
    using SavedAt = std::array<std::uint64_t, Rules::kPreserved.size()>;

    explicit Cursor(const Registers& start) : pc_(start.pc), sp_(start.sp()), origin_(&start) {}
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    std::uint64_t pc() const { return pc_; }
    std::uint64_t sp() const { return sp_; }
    // False: sp() is only a lower bound (recover_above).
    bool knows_sp() const { return !Rules::kLosesStackPointer || sp_known_; }

    // After kOutsideStack: an address near which memory was missing.
    std::uint64_t missing() const { return missing_; }

    // The value of a register here. False: not known (any more).
    bool get(unsigned number, const MemoryView& stack, std::uint64_t* value) const {
        for (unsigned i = 0; i < kPreserved.size(); ++i) {
            if (kPreserved[i] == number) {
                return preserved(i, stack, value);
            }
        }
        if (number == kStackPointer) {
            *value = sp_;
            return knows_sp();
        }
        if (number >= kGeneral) {  // a column for the return address alone is the program counter's
            *value = pc_;
            return number == Rules::kReturnAddress;
        }
        *value = origin_->general[number];
        return all_known_;
    }

    // The known registers here: the preserved ones, the stack pointer, the program counter. The others are 0.
    Registers registers(const MemoryView& stack) const {
        Registers here;
        for (unsigned i = 0; i < kPreserved.size(); ++i) {
            std::uint64_t value = 0;
            here.general[kPreserved[i]] = preserved(i, stack, &value) ? value : 0;
        }
        here.general[kStackPointer] = sp_;
        here.pc = pc_;
        return here;
    }

    // By a rule of kind kPlain.
    StepResult step(RuleWord rule, const MemoryView& stack) {
        std::uint64_t base = sp_;
        if ((!Rules::is_by_stack_pointer(rule) || !knows_sp()) && !get(Rules::base_of(rule), stack, &base)) {
            return StepResult::kBadRule;
        }
        return step_to(base + Rules::offset_of(rule), rule, stack);
    }

    // The caller's stack pointer by a rule of kind kPlain whose base is a register that functions may change
    // freely, if none has since the interrupted frame. 0: its base is another register, or that frame's registers
    // are not available any more.
    std::uint64_t cfa_if_unchanged(RuleWord rule) const {
        const unsigned base = Rules::base_of(rule);
        for (const unsigned number : kPreserved) {
            if (number == base) {
                return 0;
            }
        }
        return base == kStackPointer || origin_ == &own_ ? 0 : origin_->general[base] + Rules::offset_of(rule);
    }

    // By a rule of kind kPlain, to this caller's stack pointer.
    StepResult step_to(std::uint64_t cfa, RuleWord rule, const MemoryView& stack) {
        const std::uint64_t slot = Rules::return_slot(rule);
        if (slot == 0) {  // still in its register: only where nothing has been called since
            if (!all_known_ || cfa < sp_) {
                return all_known_ ? StepResult::kNoProgress : StepResult::kBadRule;
            }
            pc_ = Rules::code_address(origin_->general[Rules::kReturnAddress % kGeneral]);
        } else {
            if (cfa <= sp_) {
                return StepResult::kNoProgress;
            }
            if (!stack.read(cfa - 8 * slot, &pc_)) {
                missing_ = cfa - 8 * slot;
                return StepResult::kOutsideStack;
            }
            pc_ = Rules::code_address(pc_);
        }
        if (Rules::has_slots(rule)) {
            for (unsigned i = 0; i < kPreserved.size(); ++i) {
                const unsigned saved = Rules::slot_of(rule, i);
                saved_at_[i] = saved != 0 ? cfa - std::uint64_t{8} * saved : saved_at_[i];
            }
        }
        set_sp(cfa);
        all_known_ = false;
        return StepResult::kOk;
    }

    // By a rule of kind kExtended. `operations`: of its expressions, how many may be made; counted down.
    StepResult step(const ExtendedRule& rule, const Table& table, const MemoryView& stack, unsigned* operations);

    // To a caller found without a rule: everything that is not given is unknown there or unchanged.
    void recover(std::uint64_t pc, std::uint64_t sp) { recover(pc, sp, nullptr); }
    void recover(std::uint64_t pc, std::uint64_t sp, const std::uint64_t* frame_pointer);

    // The same, with the places where preserved registers were saved; 0: unchanged.
    void recover(std::uint64_t pc, std::uint64_t sp, const SavedAt& saved) {
        for (unsigned i = 0; i < saved.size(); ++i) {
            saved_at_[i] = saved[i] != 0 ? saved[i] : saved_at_[i];
        }
        recover(pc, sp);
    }

    // To a caller whose stack pointer is not known, only that it is not below `least`: found by a frame record that
    // lies at the lower end of its frame.
    void recover_above(std::uint64_t pc, std::uint64_t least, std::uint64_t frame_pointer) {
        recover(pc, least, &frame_pointer);
        sp_known_ = false;
    }

    // To a frame that a signal interrupted, with all of its registers.
    void resume(const Registers& interrupted) {
        own_ = interrupted;
        origin_ = &own_;
        lost_ = 0;
        saved_at_ = {};
        all_known_ = true;
        pc_ = interrupted.pc;
        set_sp(interrupted.sp());
    }

    // To another address and stack pointer; the registers are the same there.
    void move(std::uint64_t pc, std::uint64_t sp) {
        pc_ = pc;
        set_sp(sp);
    }

    // Reads every register from the stack that it was saved to: afterwards another view may take that one's place.
    void detach(const MemoryView& stack);

  private:
    static constexpr const auto& kPreserved = Rules::kPreserved;  // the frame pointer is the first
    static constexpr unsigned kStackPointer = Rules::kStackPointer;
    static constexpr unsigned kGeneral = Rules::kGeneralRegisters;

    void set_sp(std::uint64_t sp) {
        sp_ = sp;
        sp_known_ = Rules::kLosesStackPointer || sp_known_;
    }

    bool preserved(unsigned index, const MemoryView& stack, std::uint64_t* value) const {
        if (saved_at_[index] != 0) {
            return stack.read(saved_at_[index], value);
        }
        *value = origin_->general[kPreserved[index]];
        return (lost_ >> index & 1U) == 0;
    }

    std::uint64_t pc_;
    std::uint64_t sp_;
    SavedAt saved_at_{};  // 0: still as in *origin_
    const Registers* origin_;
    std::uint32_t lost_ = 0;  // preserved registers (by index) that *origin_ does not have
    bool all_known_ = true;   // the other general registers are as in *origin_
    bool sp_known_ = true;    // false: sp_ is a lower bound
    std::uint64_t missing_ = 0;
    Registers own_;  // *origin_ once the start has been left
};

}  // namespace kymo::unwind
