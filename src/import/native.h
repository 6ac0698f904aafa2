// The processor whose copied stacks and system calls this build understands: the one place that names it.
#pragma once

#if defined(__x86_64__)
#include "import/x86_64/call_number.h"
#include "import/x86_64/direct_call.h"
#include "import/x86_64/perf_registers.h"
namespace kymo::import {
namespace native = x86_64;
}
#elif defined(__aarch64__)
#include "import/aarch64/call_number.h"
#include "import/aarch64/direct_call.h"
#include "import/aarch64/perf_registers.h"
namespace kymo::import {
namespace native = aarch64;
}
#endif
