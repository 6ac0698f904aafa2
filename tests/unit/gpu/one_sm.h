// A GPU small enough to calculate by hand: one SM, one scheduler, every latency a round number, launches for nothing.
#pragma once

#include "accuracy/generate.h"
#include "gpu/gpu_file.h"
#include "gpu/model/full_model.h"

#include <gtest/gtest.h>

namespace kymo::gpu {

inline Gpu one_sm() {
    Gpu gpu;
    gpu.name = "one-sm";
    gpu.sms = 1;
    gpu.boost.mhz = gpu.profiled.mhz = 1000;
    gpu.sm_schedulers = 1;
    gpu.sm_warps = 16;
    gpu.sm_ctas = 16;
    gpu.sm_registers = 65536;
    gpu.register_granularity = 256;
    gpu.sm_shared_bytes = 65536;
    gpu.shared_granularity = 256;
    gpu.latency.fill(4);
    gpu.interval.fill(1);
    gpu.latency[static_cast<std::size_t>(OpClass::kNop)] = 1;
    gpu.predicate_latency = 10;
    gpu.taken_branch = 7;
    gpu.barrier_latency = 5;
    gpu.l1_size = 65536;
    gpu.l1_ways = 4;
    gpu.l1_latency = 30;
    gpu.l1_sectors_per_cycle = 4;
    gpu.l1_misses = 64;
    gpu.shared_latency = 20;
    gpu.shared_atomic_cycles = 4;
    gpu.constant_size = 2048;
    gpu.constant_latency = 8;
    gpu.constant_miss_latency = 40;
    gpu.l2_size = 1 << 20;
    gpu.l2_ways = 16;
    gpu.l2_slices = 1;
    gpu.l2_latency = gpu.l2_far_latency = 200;
    gpu.l2_bandwidth = gpu.l2_write_bandwidth = 32;  // GB/s at 1000 MHz: one sector a cycle
    gpu.noc_bytes = 32;
    gpu.dram_latency = 500;
    gpu.dram_bandwidth = 16;  // a sector every two cycles
    gpu.dram_channels = 1;
    gpu.dram_access_bytes = 32;
    gpu.atomic_cycles = 2;
    return gpu;
}

struct Line {
    const char* opcode;
    std::vector<unsigned> destinations;
    std::vector<unsigned> sources;
    std::uint32_t mask = 0xFFFF'FFFFU;
    // Addresses: of[k-th active lane] = base + k × stride; base 0: none.
    std::uint64_t base = 0;
    std::int64_t stride = 4;
};

// The warps that execute these lines, each its own, and the program of all of them.
struct Encoded {
    Program program;
    std::vector<WarpTrace> warps;
};

inline Encoded encode(const std::vector<std::vector<Line>>& warps) {
    ProgramBuilder builder;
    for (const auto& lines : warps) {
        for (const Line& line : lines) {
            builder.add(line.opcode, {}, {}, line.base != 0 ? 4 : 0);
        }
    }
    Encoded made{builder.take(), {}};
    auto instruction = made.program.begin();
    for (const auto& lines : warps) {
        for (const Line& line : lines) {
            for (const unsigned number : line.destinations) {
                instruction->destinations.add(number);
            }
            for (const unsigned number : line.sources) {
                instruction->sources.add(number);
            }
            ++instruction;
        }
    }
    std::uint32_t index = 0;
    for (const auto& lines : warps) {
        WarpEncoder encoder(made.program);
        for (const Line& line : lines) {
            std::vector<std::uint64_t> addresses;
            std::uint64_t address = line.base;
            for (std::uint32_t left = line.mask; line.base != 0 && left != 0; left &= left - 1) {
                addresses.push_back(address);
                address += static_cast<std::uint64_t>(line.stride);
            }
            encoder.add(index++, line.mask, addresses);
        }
        WarpTrace warp;
        warp.id = static_cast<std::uint32_t>(made.warps.size());
        warp.instructions = lines.size();
        warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
        made.warps.push_back(warp);
    }
    return made;
}

// A kernel of equal CTAs whose warps execute these lines.
inline std::unique_ptr<KernelSource> kernel_of(const std::vector<std::vector<Line>>& warps, std::uint32_t ctas = 1,
                                               KernelHeader header = {}) {
    Encoded made = encode(warps);
    header.name = "by_hand";
    header.grid = {ctas, 1, 1};
    header.block = {static_cast<std::uint32_t>(warps.size()) * kWarpLanes, 1, 1};
    header.registers = 16;
    Cta cta;
    cta.warps = std::move(made.warps);
    return std::make_unique<GeneratedKernel>(header, std::move(made.program),
                                             [cta](std::uint64_t, const Program&) { return cta; });
}

// A kernel of CTAs of one warp each, the n-th executing the n-th lines.
inline std::unique_ptr<KernelSource> kernel_of_ctas(const std::vector<std::vector<Line>>& ctas) {
    Encoded made = encode(ctas);
    KernelHeader header;
    header.name = "by_hand";
    header.grid = {static_cast<std::uint32_t>(ctas.size()), 1, 1};
    header.block = {kWarpLanes, 1, 1};
    header.registers = 16;
    return std::make_unique<GeneratedKernel>(header, std::move(made.program),
                                             [warps = std::move(made.warps)](std::uint64_t number, const Program&) {
                                                 Cta cta;
                                                 cta.warps.push_back(warps[number]);
                                                 cta.warps.back().id = 0;
                                                 return cta;
                                             });
}

inline KernelResult run(const Gpu& gpu, KernelSource& source) {
    auto result = run_full(gpu, gpu.boost, source);
    EXPECT_TRUE(result) << (result ? "" : result.error().what);
    return result ? std::move(*result) : KernelResult();
}

inline double cause(const KernelResult& result, Cause which) {
    return result.total.cycles[static_cast<std::size_t>(which)];
}

}  // namespace kymo::gpu
