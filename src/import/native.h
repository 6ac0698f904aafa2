// The processor whose copied stacks this build unwinds: the one place that names it.
#pragma once

#if defined(__x86_64__)
#include "import/x86_64/perf_registers.h"
namespace kymo::import {
namespace native = x86_64;
}
#elif defined(__aarch64__)
#include "import/aarch64/perf_registers.h"
namespace kymo::import {
namespace native = aarch64;
}
#endif
