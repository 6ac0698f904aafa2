// A CUDA program for the verbs: found in PATH, started by the launcher, its problems printed.
#pragma once

#include "base/result.h"
#include "gpu/cudart/job.h"
#include "gpu/report/program_report.h"
#include "gpu/runs/real_trace.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kymo::cli {

// gpu::run_program() of this command: this process stays its parent and passes signals on. Errors also: not found,
// not runnable.
Result<gpu::ProgramRun> run_gpu_program(const gpu::cudart::JobOptions& options,
                                        const std::vector<std::string>& command);

// gpu::trace_on_gpu() of this command, likewise.
Result<gpu::RealTrace> trace_gpu_program(const std::filesystem::path& tracer, bool text,
                                         const std::filesystem::path& folder,
                                         const std::vector<std::string>& command);

// Prints the run's problems to stderr. Returns the exit code: the program's, or if that is 0 that of the first
// problem.
int tell_problems(const gpu::ProgramRun& run, const std::string& program);

}  // namespace kymo::cli
