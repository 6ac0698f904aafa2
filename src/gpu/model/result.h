// What a model says about one launch.
#pragma once

#include "gpu/model/memory_system.h"
#include "gpu/model/occupancy.h"
#include "gpu/trace/kernel.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::gpu {

// Where a warp's time goes. Every cycle between a warp's first instruction and its end belongs to exactly one.
enum class Cause : std::uint8_t {
    kIssue,         // issuing, the share of active lanes
    kDivergence,    // issuing, the share of lanes switched off by branches
    kDependence,    // waits for an arithmetic result or a predicate
    kBranch,        // fetching after a branch
    kPipe,          // ready, but its pipe is busy
    kNotSelected,   // ready, but the scheduler issues another warp
    kConstant,      // constant memory
    kShared,        // shared memory without conflicts
    kBankConflict,  // more passes than needed
    kMemoryQueue,   // the SM's load/store unit has a backlog
    kL1,
    kL2,
    kDram,
    kAtomic,
    kBarrier,
    kFence,
};
inline constexpr unsigned kCauses = 16;
const char* name(Cause cause);

// What a thread of the basic model spends its time on.
enum class Spent : std::uint8_t {
    kMasked,      // instructions that the mask leaves out, or that its warp branches around: a NOP's time each
    kArithmetic,  // everything else without an address
    kBranch,
    kCacheHit,  // memory, by the cache model
    kCacheMiss,
    kShared,
    kConstant,
    kBarrier,
};
inline constexpr unsigned kSpent = 8;
const char* name(Spent spent);

// What an instruction did, whenever it did it.
struct Counts {
    std::uint64_t issued = 0;          // warp instructions
    std::uint64_t empty = 0;           // of them with no lane active
    std::uint64_t lanes = 0;           // sum of active lanes
    std::uint64_t requests = 0;        // global, local and generic accesses
    std::uint64_t sectors = 0;         // 32-byte transactions they needed
    std::uint64_t fewest_sectors = 0;  // with perfect coalescing
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_passes = 0;
    std::uint64_t fewest_passes = 0;
    // Adds `times` of the other's.
    void add(const Counts& other, std::uint64_t times = 1);
};

// 0 of nothing.
constexpr double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole != 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

struct Account : Counts {
    std::array<double, kCauses> cycles{};
    double total_cycles() const;
    void add(const Account& other);
};

struct KernelResult {
    std::string kernel;
    std::string gpu;
    std::string model;
    std::string left_out;  // what the trace lacks of the launch, in words; empty: nothing
    double waiting = 0;    // at most this share of the instructions is of loops that wait; then the time is unknown
    Dim3 grid;
    Dim3 block;
    double mhz = 0;
    double cycles = 0;         // of the launch as a profiler counts it
    double launch_cycles = 0;  // of them before the first and after the last instruction
    double time_us = 0;
    std::uint64_t warp_instructions = 0;    // with at least one active lane
    std::uint64_t thread_instructions = 0;  // by lane
    std::uint64_t masked_instructions = 0;  // warp instructions without an active lane
    double ipc = 0;                         // warp instructions a cycle, all SMs together, without masked ones
    std::uint64_t threads = 0;              // basic model: thread simulators
    double thread_cycles = 0;               // basic model: the sum of thread times
    std::array<double, kSpent> spent{};     // basic model: what they are made of,
    std::vector<std::array<double, kSpent>> spent_by_instruction;  // and where; index as in `program`
    std::uint64_t walked_around = 0;  // basic model: masked instructions of threads that their warp branched around
    double thread_ipc = 0;            // basic model: thread instructions / (makespan)

    Occupancy occupancy;
    double achieved_occupancy = 0;  // mean resident warps of SMs that had any / the SM's warps
    double waves = 0;               // CTAs / CTAs resident on the whole GPU
    double tail_cycles = 0;         // from when the first SM ran out of CTAs to the end
    double tail_idle = 0;           // share of all SMs' time that was idle in the tail

    std::uint64_t l1_reads = 0;  // sectors
    std::uint64_t l1_read_hits = 0;
    MemoryCounts memory;
    double dram_gbps = 0;
    double l2_gbps = 0;
    double flops = 0;           // floating-point operations, a fused multiply-add counting 2
    double flops_per_byte = 0;  // of DRAM traffic
    double gflops = 0;
    double roof_gflops = 0;  // what the GPU could reach at this intensity
    const char* bound = "";  // "memory", "compute" or "latency"

    Account total;
    Program program;
    std::vector<Account> by_instruction;  // index as in `program`
    std::vector<std::string> unknown_opcodes;
    std::uint64_t ctas_simulated = 0;  // the others were treated as equal to these
    double sampling_error = 0;         // by that, of the time: half width, 95 %
    std::uint64_t ctas = 0;
};

}  // namespace kymo::gpu
