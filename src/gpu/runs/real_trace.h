// Traces of a CUDA program's kernels from a real GPU: Accel-Sim's NVBit tracer, preloaded into the program, writes
// the instructions of each warp; its own program groups them by CTA; and Kymo keeps them in the compact form.
#pragma once

#include "base/result.h"
#include "gpu/runs/start_program.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kymo::gpu {

struct RealTrace {
    int exit_status = 0;  // the program's, as a shell reports it
    std::size_t launches = 0;
    std::uint64_t instructions = 0;  // of warps; 0 if the traces stay in the text form
};

// The tracer's tool: `named`, else the file in KYMO_NVBIT_TRACER. Errors: kNotFound, with what to build, or if
// there is no GPU.
Result<std::filesystem::path> find_tracer(const std::string& named);

// Runs the program under the tracer; `folder` exists and is empty, and in the end has a trace a launch and
// kernelslist.g, which names them in order. Errors: those of `start`; kNotRunnable if no kernel was traced,
// or the tracer's second program is not beside it or fails; those of reading a trace.
Result<RealTrace> trace_on_gpu(const std::filesystem::path& tracer, bool text, const std::filesystem::path& folder,
                               const FoundProgram& program, const StartProgram& start);

}  // namespace kymo::gpu
