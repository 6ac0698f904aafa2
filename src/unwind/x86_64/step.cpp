#include "unwind/x86_64/step.h"

#include "unwind/cursor_long.h"

namespace kymo::unwind {

template class Cursor<x86_64::Rules>;

}  // namespace kymo::unwind
