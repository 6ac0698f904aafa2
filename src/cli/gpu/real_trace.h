// Traces of a CUDA program's kernels from a real GPU: Accel-Sim's NVBit tracer, preloaded into the program, writes
// what each warp executed; its own program groups that by CTA; and Kymo keeps it in the compact form.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kymo::cli {

struct RealTrace {
    int exit_status = 0;  // the program's, as a shell reports it
    std::size_t launches = 0;
    std::uint64_t instructions = 0;  // of warps; 0 where the traces stay in the text form
};

// The tracer's tool: `named`, else the file in KYMO_NVBIT_TRACER. Errors: kNotFound, with what to build, or if
// there is no GPU.
Result<std::filesystem::path> find_tracer(const std::string& named);

// Runs the program under the tracer; `folder` exists and is empty, and in the end has a trace a launch and
// kernelslist.g, which names them in order. Errors: what run_child() says; kNotRunnable where no kernel was traced,
// or the tracer's second program is not beside it or fails; what reading a trace says.
Result<RealTrace> trace_on_gpu(const std::filesystem::path& tracer, bool text, const std::filesystem::path& folder,
                               const std::vector<std::string>& command);

}  // namespace kymo::cli
