// The architecture that this build walks: the one place that names it. A new one is a folder with the same files
// (arch.h) and with running.h.
#pragma once

#if defined(__x86_64__)
#include "unwind/x86_64/arch.h"
#include "unwind/x86_64/running.h"
namespace kymo::unwind {
namespace native = x86_64;
}
#elif defined(__aarch64__)
#include "unwind/aarch64/arch.h"
#include "unwind/aarch64/running.h"
namespace kymo::unwind {
namespace native = aarch64;
}
#else
#error "nothing captures this processor's registers yet: write running.h beside x86_64/running.h and name it here"
#endif

namespace kymo::unwind {
using Registers = native::Registers;
using FloatRegisters = native::FloatRegisters;
}  // namespace kymo::unwind
