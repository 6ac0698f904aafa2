// The architecture that this build walks: the one place that names it. A new one is a folder with the same files.
#pragma once

#if defined(__x86_64__)
#include "unwind/x86_64/context.h"
#include "unwind/x86_64/recover.h"
#include "unwind/x86_64/registers.h"
#include "unwind/x86_64/rule.h"
#include "unwind/x86_64/signal_frame.h"
#include "unwind/x86_64/step.h"
namespace kymo::unwind {
namespace native = x86_64;
}
#else
#error "no unwinding for this architecture yet: add its directory beside x86_64/ and name it here"
#endif

namespace kymo::unwind {
using Registers = native::Registers;
using FloatRegisters = native::FloatRegisters;
}  // namespace kymo::unwind
