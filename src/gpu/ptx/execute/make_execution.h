// A launch: checks that it is possible, and executes its CTAs one after another on request.
//
// Contract: internal to LoadedModule.
#pragma once

#include "gpu/ptx/execute/cta_runner.h"
#include "gpu/ptx/execute/launch.h"

namespace kymo::gpu::ptx {

inline constexpr std::uint64_t kMostLocal = 512 * 1024;  // a thread's
inline constexpr std::uint64_t kMostShared = 232'448;    // what the largest GPUs of compute capability 9.0 give a CTA

// Errors: kUsage.
Result<void> can_launch(const Function& function, const KernelFacts& facts, const Launch& launch);

// `parts` without its program and options.
std::unique_ptr<Execution> make_execution(KernelHeader header, Program program, LaunchParts parts,
                                          ExecuteOptions options, std::uint64_t parameter_bytes);

}  // namespace kymo::gpu::ptx
