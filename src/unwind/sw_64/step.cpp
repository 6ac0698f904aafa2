#include "unwind/sw_64/step.h"

#include "unwind/cursor_long.h"

namespace kymo::unwind {

template class Cursor<sw_64::Rules>;

}  // namespace kymo::unwind
