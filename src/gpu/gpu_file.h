// A modelled GPU: its parameters, read from a file like gpus/a100-pcie.json (gpus/schema.json describes it).
//
// Every number has a name ("l2.size"), a unit, bounds, and in the file a source. One table, parameters(), drives the
// reading, the checks, `--set` and the documentation. Latencies are the whole way from issue to use, in SM cycles, as
// pointer-chase measurements give them.
#pragma once

#include "base/result.h"
#include "gpu/trace/opcode.h"

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::gpu {

// How a launch was timed. A profiler that replays kernels (Nsight Compute) holds the clock at its base value, flushes
// caches and adds its own start and end; a timeline profiler (Nsight Systems) leaves the boost clock.
struct LaunchCosts {
    double mhz = 0;                // SM clock
    double fixed_cycles = 0;       // of an empty kernel of one CTA, less what follows
    double cta_cycles = 0;         // between two CTAs that the GPU's distributor starts
    double cta_start_cycles = 0;   // from there to a CTA's first warp's first instruction, or after its last
    double warp_start_cycles = 0;  // between two warps of a CTA
};

struct Gpu {
    std::string name;       // "a100-pcie"
    std::string full_name;  // "NVIDIA A100-PCIE-40GB"
    std::string note;       // what is assumed rather than measured

    double sms = 0;
    double capability = 0;  // compute capability, 9.0
    LaunchCosts boost;
    LaunchCosts profiled;

    double sm_schedulers = 0;
    double sm_warps = 0;
    double sm_ctas = 0;
    double sm_registers = 0;
    double register_granularity = 0;  // a warp's registers are allocated in these
    double sm_shared_bytes = 0;
    double shared_reserved = 0;     // a CTA, by the system
    double shared_granularity = 0;  // bytes
    double unified_bytes = 0;       // L1 and shared memory together; 0: they are apart

    std::array<double, kOpClasses> latency{};   // cycles from issue to the result's use
    std::array<double, kOpClasses> interval{};  // cycles a scheduler's pipe is busy with one warp instruction
    double predicate_latency = 0;               // of a compare, to the branch or predicated instruction
    double taken_branch = 0;                    // cycles from a branch to the next instruction

    double l1_size = 0;
    double l1_ways = 0;
    double l1_latency = 0;
    double l1_sectors_per_cycle = 0;
    double l1_misses = 0;  // sectors under way at a time
    double shared_latency = 0;
    double constant_size = 0;
    double constant_latency = 0;
    double constant_miss_latency = 0;  // to the next level
    double l2_size = 0;
    double l2_ways = 0;
    double l2_slices = 0;
    double l2_latency = 0;
    double l2_far_latency = 0;  // of lines homed in the other partition; equal to l2_latency without partitions
    double l2_bandwidth = 0;    // GB/s (10⁹) at the boost clock, of reads
    double l2_write_bandwidth = 0;
    double noc_bytes = 0;  // bytes a cycle into one SM
    double dram_size = 0;
    double dram_latency = 0;
    double dram_bandwidth = 0;  // GB/s (10⁹), achievable
    double dram_channels = 0;
    double dram_access_bytes = 0;
    double barrier_latency = 0;
    double atomic_cycles = 0;         // a slice is busy with one sector's atomics
    double shared_atomic_cycles = 0;  // of one more lane on the same word

    // Everything the models need and that is whole numbers there.
    unsigned whole(double value) const { return static_cast<unsigned>(value); }
    static double bytes_per_cycle(double bandwidth, const LaunchCosts& launch) {
        return bandwidth * 1e3 / launch.mhz;
    }
};

struct Parameter {
    std::string name;
    const char* unit;
    double least;
    double most;
    double* value;
};

// The parameters of `gpu`, in the order of the documentation.
std::vector<Parameter> parameters(Gpu& gpu);

// Errors name the file, the key and what was expected; all parameters must be there, with unit and source.
Result<Gpu> parse_gpu(std::string_view json, const std::string& name);

// A built-in GPU by name, or a file by path.
Result<Gpu> load_gpu(const std::string& name_or_path);

// "l2.size=2x" multiplies, "l2.size=40e6" sets. Errors: an unknown parameter (the nearest is named), out of
// bounds.
Result<void> set_parameter(Gpu& gpu, std::string_view setting);

struct BuiltInGpu {
    const char* name;
    const char* json;
};
const std::vector<BuiltInGpu>& built_in_gpus();

}  // namespace kymo::gpu
