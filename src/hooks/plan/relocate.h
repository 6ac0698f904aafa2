// Makes room for a jump at a function's entry: which of its first instructions must move, and how they are
// rewritten.
//
// Movable: instructions that do the same at any address; those with memory operands relative to themselves (given
// a fixup); jumps to fixed targets (in their longest form); a call that reaches beyond the jump's bytes, as code
// that leaves the original return address (moved code has no call-frame information). Not movable: other calls,
// and jumps that have no long form (loop, jrcxz).
#pragma once

#include "hooks/plan_file.h"

#include <cstdint>
#include <span>
#include <string>

namespace kymo::hooks {

// `code`: from the function's entry to the end of its section, which is at image offset `offset`; `size`: of the
// function. A function shorter than the jump may use the padding behind it. Fills all of `entry` but the point.
// Empty: done. Otherwise why it cannot move, in words that follow the function's name.
std::string relocate_entry(std::span<const std::uint8_t> code, std::uint64_t offset, std::uint64_t size,
                           PlanEntry* entry);

// Whether the first instruction does nothing, like padding between functions.
bool begins_with_padding(std::span<const std::uint8_t> code);

}  // namespace kymo::hooks
