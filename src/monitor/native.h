// The processor-dependent part of the monitor, as namespace kymo::monitor::native: the one place of this layer
// that names the processor. A new one is a folder with the same files; its .cpp files are compiled if it is the
// build's.
#pragma once

#if defined(__x86_64__)
#include "monitor/x86_64/denormals.h"
#include "monitor/x86_64/interrupted_call.h"
#include "monitor/x86_64/kernel_action.h"
#include "monitor/x86_64/pace.h"
#include "monitor/x86_64/protection_keys.h"
namespace kymo::monitor {
namespace native = x86_64;
}
#else
#error "no program is measured on this processor yet: write the files of monitor/x86_64 for it and name them here"
#endif
