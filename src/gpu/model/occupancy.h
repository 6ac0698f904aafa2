// How many CTAs of a kernel an SM holds at a time, and what limits it.
//
// The rules are those of NVIDIA's occupancy calculator: registers go to warps in units and by scheduler, shared
// memory to CTAs in units with the system's share.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/trace/kernel.h"

namespace kymo::gpu {

struct Occupancy {
    unsigned warps_per_cta = 0;
    unsigned by_ctas = 0;
    unsigned by_warps = 0;
    unsigned by_registers = 0;
    unsigned by_shared = 0;
    unsigned ctas = 0;  // the least of the four
    const char* limit = "";
    double theoretical = 0;          // resident warps / the SM's warps
    double shared_bytes_of_cta = 0;  // as allocated
};

// Errors: kUnsupported when not even one CTA fits.
Result<Occupancy> occupancy(const Gpu& gpu, const KernelHeader& kernel);

}  // namespace kymo::gpu
