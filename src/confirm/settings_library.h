// The library that sets in a program what no variable of its libraries' own does: the pieces of OpenMP's loops, the
// buffers of streams (src/confirm/settings).
#pragma once

#include "base/result.h"

#include <filesystem>

namespace kymo::confirm {

// Beside the monitor library. kNotFound, kUnsupported as launch::find_monitor_library().
Result<std::filesystem::path> settings_library();

}  // namespace kymo::confirm
