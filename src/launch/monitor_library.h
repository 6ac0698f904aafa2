// The path of the monitor library.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace kymo::launch {

// KYMO_MONITOR if set; otherwise beside the running executable, as built (../lib/libkymo-monitor.so) or as installed
// (../lib/kymo/libkymo-monitor.so, and the same below lib64 and lib/MULTIARCH).
// kNotFound if it is not there; kUnsupported if its path has characters that LD_PRELOAD cannot (blanks, colons).
Result<std::filesystem::path> find_monitor_library();

}  // namespace kymo::launch
