// aarch64: the cursor.
#pragma once

#include "unwind/aarch64/rule.h"
#include "unwind/cursor.h"

namespace kymo::unwind {

extern template class Cursor<aarch64::Rules>;

namespace aarch64 {
using Cursor = unwind::Cursor<Rules>;
}

}  // namespace kymo::unwind
