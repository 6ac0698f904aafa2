// A CUDA program run without a GPU: under our own CUDA runtime, which executes its kernels and predicts their time
// (gpu/cudart/job.h).
#pragma once

#include "base/result.h"
#include "gpu/cudart/job.h"
#include "gpu/report/program_report.h"
#include "gpu/runs/start_program.h"

namespace kymo::gpu {

// Starts the program and returns at its end. Errors, before it is started: CUDA's runtime linked into it, no PTX in
// it; and those of `start`.
Result<ProgramRun> run_program(const cudart::JobOptions& options, const FoundProgram& program,
                               const StartProgram& start);

}  // namespace kymo::gpu
