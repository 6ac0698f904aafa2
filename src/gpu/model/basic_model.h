// The model as the patent on analysing GPU performance tells it, literally: no warps, no schedulers, no limits.
//
// As many thread simulators as the kernel launched threads start together. Each walks its instruction list: at the
// end instruction it finishes; where the execution mask leaves the thread out, it takes the fixed time of a NOP; a
// memory instruction takes the time that one cache model gives its address; arithmetic takes its class's latency; a
// branch its own. When all have finished: the sum of the thread times, and the makespan.
//
// Contract: reads the source from where it stands to its end. Streaming. Cost: about 50 ns a warp instruction.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/model/result.h"

namespace kymo::gpu {

Result<KernelResult> run_basic(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source);

}  // namespace kymo::gpu
