// The full model: a launch on all SMs of a GPU, warp by warp, from CTA start to the last store. See
// docs/gpu-model.md.
//
// Contract: reads the source from its present position to its end (twice, with a rewind between, for a warm L2).
// Memory is that of the resident CTAs. Cost: 30 ns per warp instruction of arithmetic, 100–170 ns of a matrix
// product, 300–500 ns if every lane has a line of its own; one thread.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/model/result.h"
#include "gpu/model/sm.h"

namespace kymo::gpu {

struct FullOptions {
    bool warm_l2 = false;               // the launch before was the same kernel on the same data
    IssueObserver* observer = nullptr;  // called for the (last) launch, whose CTAs are then all simulated
    bool exact = false;                 // simulate every CTA; otherwise equal ones of a long launch are sampled
    MemorySystem* memory = nullptr;     // what earlier launches left in the L2; null: a cold L2
};

Result<KernelResult> run_full(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source,
                              const FullOptions& options = {});

}  // namespace kymo::gpu
