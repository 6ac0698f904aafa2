// The model as the patent on analysing GPU performance tells it, literally: no warps, no schedulers, no limits.
//
// As many thread simulators as the kernel launched threads start together. Each walks the instruction list: at the
// end instruction it finishes; where the execution mask leaves the thread out, it takes the fixed time of a NOP; a
// memory instruction takes the time that one cache model gives its address; arithmetic takes its class's latency; a
// branch its own. When all have finished: the sum of the thread times, and the makespan.
//
// The list is the static one. A warp's trace lacks what the whole warp branched around; it is put back as masked
// instructions where the branch's ways meet again (skipped.h).
//
// Contract: reads the source from its beginning to its end, twice. Streaming. Cost: about 100 ns a warp instruction.
#pragma once

#include "gpu/basic/step_observer.h"
#include "gpu/gpu_file.h"
#include "gpu/model/result.h"

namespace kymo::gpu {

// `observer`: told of each step of each thread; null: nobody is.
Result<KernelResult> run_basic(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source,
                               StepObserver* observer = nullptr);

}  // namespace kymo::gpu
