// Removes what takes no instruction in machine code: copies of values that are written once, parameters, addresses
// that are the same in both spaces. A product that is only added to becomes part of the additions (IMAD.WIDE).
//
// Contract: internal to compile(). Folds only what cannot change any thread's values: the register and what it
// copies are each written once, without a guard, and never read before.
#pragma once

#include "gpu/ptx/select/flow.h"

namespace kymo::gpu::ptx {

void fold(const Flow& flow, std::vector<Draft>& drafts, std::size_t registers);

}  // namespace kymo::gpu::ptx
