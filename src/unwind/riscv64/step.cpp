#include "unwind/riscv64/step.h"

#include "unwind/cursor_long.h"

namespace kymo::unwind {

template class Cursor<riscv64::Rules>;

}  // namespace kymo::unwind
