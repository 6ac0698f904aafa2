#include "unwind/loongarch64/step.h"

#include "unwind/cursor_long.h"

namespace kymo::unwind {

template class Cursor<loongarch64::Rules>;

}  // namespace kymo::unwind
