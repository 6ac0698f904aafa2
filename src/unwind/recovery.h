// Finding a frame's caller without a rule, the part common to all architectures: frame records, and whether a
// candidate can be a caller. Each architecture's recover.h determines the order of attempts.
//
// Contract: reads the stack through the view only. `Code` answers questions about code:
//   bool is_return_address(address)   in known code, behind a call instruction
//   bool is_handler_return(address)   code that returns from a signal handler
//   void around(address, before*, at*)   the readable code bytes on both sides; empty where unreadable
//   bytes behind(address)   readable code from there on, within the remaining budget
//   bool is_known(address), RuleWord rule_at(address)
//   bool may_try()   the budget is not used up
// A `Record` describes what a frame pointer points to: where from there the caller's frame pointer (kFrame) and the
// return address (kReturn) are saved, and where the caller's stack pointer is (kCaller); without kGivesStackPointer
// that is only its lowest possible place.
#pragma once

#include "unwind/cursor.h"

namespace kymo::unwind {

// A chain of frame pointers that has been followed into known code: from its first frame up to its last.
struct FrameChain {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool holds(std::uint64_t frame) const { return last != 0 && frame >= first && frame <= last; }
};

// Whether the chain that begins at `frame` leads to a return address in known code. Parts that this walk has
// followed are not followed again.
template <class Record, class Code>
bool leads_to_known_code(std::uint64_t frame, const MemoryView& stack, const Code& code, FrameChain* chain) {
    if (chain->holds(frame)) {
        return true;
    }
    std::uint64_t here = frame;
    std::uint64_t outer = 0;
    std::uint64_t address = 0;
    while (code.may_try() && stack.read(here + Record::kReturn, &address) &&
           stack.read(here + Record::kFrame, &outer)) {
        if (code.is_return_address(Record::code_address(address))) {
            *chain = {frame, here};
            return true;
        }
        if (outer <= here || outer % 8 != 0) {
            return false;
        }
        here = outer;
    }
    return false;
}

// Whether a caller at the return address `word` with that stack pointer has, by its own rule, a caller in known
// code. Stale words on the stack rarely do.
template <class Rules, class Code>
bool has_a_caller(const Cursor<Rules>& cursor, const typename Cursor<Rules>::SavedAt& saved, std::uint64_t word,
                  std::uint64_t sp, const MemoryView& stack, const Code& code) {
    const RuleWord rule = code.rule_at(word - 1);
    if (kind_of(rule) != RuleKind::kPlain) {
        return true;  // cannot be checked so simply
    }
    std::uint64_t base = sp;
    if (!Rules::is_by_stack_pointer(rule)) {
        std::uint64_t saved_at = 0;
        for (unsigned i = 0; i < Rules::kPreserved.size(); ++i) {
            saved_at = Rules::kPreserved[i] == Rules::base_of(rule) ? saved[i] : saved_at;
        }
        if (saved_at != 0 ? !stack.read(saved_at, &base) : !cursor.get(Rules::base_of(rule), stack, &base)) {
            return false;
        }
    }
    const std::uint64_t cfa = base + Rules::offset_of(rule);
    const std::uint64_t slot = Rules::return_slot(rule);
    std::uint64_t next = 0;
    if (slot == 0 || cfa <= sp || !stack.read(cfa - 8 * slot, &next)) {
        return false;  // a function that has made a call keeps its own return address on the stack
    }
    next = Rules::code_address(next);
    return (next == 0 || code.is_return_address(next) || kind_of(code.rule_at(next)) == RuleKind::kExtended);
}

// By the frame record that the frame pointer points to.
template <class Record, class Rules, class Code>
bool recover_by_frame_record(Cursor<Rules>& cursor, const MemoryView& stack, const Code& code, FrameChain* chain) {
    std::uint64_t frame = 0;
    std::uint64_t outer = 0;
    std::uint64_t word = 0;
    if (!cursor.get(Rules::kPreserved[0], stack, &frame) || frame + Record::kFrame < cursor.sp() || frame % 8 != 0 ||
        !stack.read(frame + Record::kFrame, &outer) || !stack.read(frame + Record::kReturn, &word)) {
        return false;
    }
    word = Record::code_address(word);
    // If generated code called this, or is this, the return address cannot be checked, but the chain must lead
    // into known code.
    if (!code.is_return_address(word) && ((code.is_known(cursor.pc()) && code.is_known(word)) ||
                                          !leads_to_known_code<Record>(frame, stack, code, chain))) {
        return false;
    }
    if constexpr (Record::kGivesStackPointer) {
        cursor.recover(word, frame + Record::kCaller, &outer);
    } else {
        cursor.recover_above(word, frame + Record::kCaller, outer);
    }
    return true;
}

}  // namespace kymo::unwind
