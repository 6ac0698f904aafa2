// Making room for a jump at a function's entry: which of its first instructions have to move, and what they become
// elsewhere.
//
// What can move: whatever does the same at any address; what names memory relative to itself (given a fixup); jumps
// to fixed targets (in their longest form); a call that reaches beyond the jump's bytes, as code that leaves the
// original return address (moved code has no call-frame information). What cannot: other calls, and jumps that have
// no long form (loop, jrcxz).
#pragma once

#include "hooks/plan_file.h"

#include <cstdint>
#include <span>
#include <string>

namespace kymo::hooks {

// `code`: from the function's entry to the end of its section, which lies at image offset `offset`; `size`: of the
// function. A function shorter than the jump may give the padding behind it. Fills all of `entry` but the point.
// Empty: done. Otherwise why it cannot be, in words that follow the function's name.
std::string relocate_entry(std::span<const std::uint8_t> code, std::uint64_t offset, std::uint64_t size,
                           PlanEntry* entry);

// Whether the first instruction is one that does nothing, as stands between what is run.
bool begins_with_padding(std::span<const std::uint8_t> code);

}  // namespace kymo::hooks
