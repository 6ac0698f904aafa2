// LoongArch, 64 bits: the cursor.
#pragma once

#include "unwind/cursor.h"
#include "unwind/loongarch64/rule.h"

namespace kymo::unwind {

extern template class Cursor<loongarch64::Rules>;

namespace loongarch64 {
using Cursor = unwind::Cursor<Rules>;
}

}  // namespace kymo::unwind
