// What the parent reads of a traced task depends on the processor, as namespace kymo::launch::native: the one place
// of this layer that names the processor. For a new one add a folder with the same file.
#pragma once

#if defined(__x86_64__)
#include "launch/x86_64/traced_call.h"
namespace kymo::launch {
namespace native = x86_64;
}
#elif defined(__aarch64__)
#include "launch/aarch64/traced_call.h"
namespace kymo::launch {
namespace native = aarch64;
}
#else
#error "write traced_call.h beside launch/x86_64/traced_call.h for this processor and name it here"
#endif
