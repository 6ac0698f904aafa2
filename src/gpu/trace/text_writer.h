// Writes a launch in the published text form (docs/gpu-traces.md), tracer version 5, which other simulators read.
//
// Contract: reads the source from its present position to its end; nothing is overwritten. Static instructions
// without lines are written without that column. Errors: kOutputExists, kPermission, kNoSpace, the source's.
#pragma once

#include "gpu/trace/kernel.h"

#include <filesystem>

namespace kymo::gpu {

struct TextSize {
    std::uint64_t ctas = 0;
    std::uint64_t warps = 0;
    std::uint64_t instructions = 0;
};

Result<TextSize> write_text(KernelSource& source, const std::filesystem::path& path);

}  // namespace kymo::gpu
