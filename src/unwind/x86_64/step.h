// x86-64: the cursor.
#pragma once

#include "unwind/cursor.h"
#include "unwind/x86_64/rule.h"

namespace kymo::unwind {

extern template class Cursor<x86_64::Rules>;

namespace x86_64 {
using Cursor = unwind::Cursor<Rules>;
}

}  // namespace kymo::unwind
