// What a run's hosts took from it, by their own counters.
#pragma once

#include "spacetime/metrics/run_metrics.h"

#include <cstdint>
#include <optional>

namespace kymo::spacetime {

// Taken by the hypervisor from all processors of all hosts while the run was recorded, ns; none: the recording has no
// counters of processors. Known to 20 ms a processor: the system counts in ticks of 10.
std::optional<std::int64_t> stolen_time(const RunMetrics& metrics);

}  // namespace kymo::spacetime
