// The model as the patent on analysing GPU performance describes it, literally: no warps, no schedulers, no
// limits.
//
// As many thread simulators as the kernel launched threads start together. Each walks the instruction list. At the
// end instruction it finishes. Where the execution mask excludes the thread, it takes the fixed time of a NOP. A
// memory instruction takes the time that one cache model gives for its address, arithmetic the latency of its
// class, and a branch its own. When all have finished, the results are the sum of the thread times and the
// makespan.
//
// The list is the static one. A warp's trace lacks what the whole warp branched around; this is put back as masked
// instructions where the paths of the branch meet again (skipped.h).
//
// Contract: reads the source from beginning to end, twice. Streaming. Cost: about 100 ns per warp instruction.
#pragma once

#include "gpu/basic/step_observer.h"
#include "gpu/gpu_file.h"
#include "gpu/model/result.h"

namespace kymo::gpu {

// `observer`: called for each step of each thread; may be null.
Result<KernelResult> run_basic(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source,
                               StepObserver* observer = nullptr);

}  // namespace kymo::gpu
