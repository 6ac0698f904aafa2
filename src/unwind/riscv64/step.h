// RISC-V, 64 bits: the cursor.
#pragma once

#include "unwind/cursor.h"
#include "unwind/riscv64/rule.h"

namespace kymo::unwind {

extern template class Cursor<riscv64::Rules>;

namespace riscv64 {
using Cursor = unwind::Cursor<Rules>;
}

}  // namespace kymo::unwind
