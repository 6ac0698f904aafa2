#include "unwind/aarch64/step.h"

#include "unwind/cursor_long.h"

namespace kymo::unwind {

template class Cursor<aarch64::Rules>;

}  // namespace kymo::unwind
