// Sunway sw_64: the cursor.
#pragma once

#include "unwind/cursor.h"
#include "unwind/sw_64/rule.h"

namespace kymo::unwind {

extern template class Cursor<sw_64::Rules>;

namespace sw_64 {
using Cursor = unwind::Cursor<Rules>;
}

}  // namespace kymo::unwind
