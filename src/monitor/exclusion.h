// Mutual exclusion inside the monitor: base/exclusion.h.
#pragma once

#include "base/exclusion.h"

namespace kymo::monitor {

using kymo::change_mask;
using kymo::kAllSignals;
using kymo::Lock;
using kymo::Locked;
using kymo::Quiet;

}  // namespace kymo::monitor
