#include "gpu/model/full_model.h"

#include <algorithm>
#include <cmath>

namespace kymo::gpu {
namespace {

// SMs run in turn, this many cycles at a time, so that an SM's warps and tags stay in the host's cache for a
// while. Requests of different SMs reach the common memory out of order by at most as much. Bookings tolerate this
// (Server); of two first uses of a line, the later may be taken for the one that fetches it.
constexpr std::uint64_t kStep = 64;

Result<void> launch_once(LaunchContext& context, std::vector<Sm>& sms) {
    // The first wave: one CTA to each SM in turn until all are full.
    for (unsigned round = 0; round < context.occupancy.ctas; ++round) {
        for (Sm& sm : sms) {
            if (sm.ctas() > round) {
                continue;  // a CTA ended at once and another took its place
            }
            auto start = context.ctas.next(0, 0);
            if (!start) {
                return start.error();
            }
            if (!*start) {
                break;
            }
            context.grow();
            sm.start(std::move(**start));
        }
    }
    std::vector<Sm*> running;
    for (Sm& sm : sms) {
        sm.refill();
        if (sm.next_event() != Sm::kNever) {
            running.push_back(&sm);
        }
    }
    while (!running.empty() && !context.failed) {
        std::uint64_t first = Sm::kNever;
        for (const Sm* sm : running) {
            first = std::min(first, sm->next_event());
        }
        context.horizon = static_cast<double>(first);
        context.memory.forget_before(context.horizon);
        const std::uint64_t until = first + kStep;
        // The host prefetches what the next SMs will read while one runs.
        const auto soon = [&](std::size_t i) -> const Sm* {
            return i < running.size() && running[i]->next_event() < until ? running[i] : nullptr;
        };
        for (std::size_t i = 0; i < running.size(); ++i) {
            if (const Sm* const sm = soon(i + 2)) {
                sm->prefetch_warps(until);
            }
            if (const Sm* const sm = soon(i + 1)) {
                sm->prefetch_accesses(until);
            }
            if (soon(i) != nullptr) {
                running[i]->run(until);
            }
        }
        std::erase_if(running, [](const Sm* sm) { return sm->next_event() == Sm::kNever; });
    }
    if (context.failed) {
        return *context.failed;
    }
    for (const Sm& sm : sms) {
        if (sm.ctas() != 0) {
            return Error{ErrorKind::kMalformed, context.header.name + ": warps wait at a barrier that never opens",
                         "the trace lacks a warp, or its end; trace the kernel again"};
        }
    }
    return {};
}

void roofline(const Gpu& gpu, const LaunchCosts& launch, KernelResult& result) {
    const double bytes = static_cast<double>(result.memory.dram_reads + result.memory.dram_writes) * kSectorBytes;
    const double l2_bytes = static_cast<double>(result.memory.l2_reads + result.memory.l2_writes) * kSectorBytes;
    const double seconds = result.time_us * 1e-6;
    if (seconds <= 0) {
        return;
    }
    result.dram_gbps = bytes / seconds * 1e-9;
    result.l2_gbps = l2_bytes / seconds * 1e-9;
    result.gflops = result.flops / seconds * 1e-9;
    result.flops_per_byte = bytes > 0 ? result.flops / bytes : 0;
    const double lanes = kWarpLanes / gpu.interval[static_cast<std::size_t>(OpClass::kFp32)];
    const double peak = gpu.sms * gpu.sm_schedulers * lanes * 2 * launch.mhz * 1e-3;
    result.roof_gflops = bytes > 0 ? std::min(peak, result.flops_per_byte * gpu.dram_bandwidth) : peak;
    const double of_dram = result.dram_gbps / gpu.dram_bandwidth;
    const double of_peak = result.gflops / peak;
    const double of_issue = result.ipc / (gpu.sms * gpu.sm_schedulers);
    constexpr double kUsedUp = 0.6;
    result.bound = of_dram > kUsedUp ? "memory" : of_peak > kUsedUp || of_issue > kUsedUp ? "compute" : "latency";
}

std::uint64_t scaled(std::uint64_t value, double factor) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
}

void summarise(LaunchContext& context, const std::vector<Sm>& sms, const CtaSampler* sampler, KernelResult& result) {
    double end = 0;
    double active = 0;
    double warp_cycles = 0;
    std::uint64_t first_out = Sm::kNever;
    for (const Sm& sm : sms) {
        end = std::max(end, sm.end());
        active += sm.active_cycles();
        warp_cycles += sm.warp_cycles();
        first_out = std::min(first_out, sm.out_of_ctas());
        result.l1_reads += sm.l1_reads();
        result.l1_read_hits += sm.l1_read_hits();
    }
    const Gpu& gpu = context.gpu;
    const double skipped = sampler != nullptr ? sampler->skipped_cycles() : 0;
    result.cycles = context.launch.fixed_cycles + end + skipped;
    result.launch_cycles = context.launch.fixed_cycles + context.launch.cta_start_cycles;
    result.time_us = result.cycles / context.launch.mhz;
    result.achieved_occupancy = active > 0 ? warp_cycles / active / gpu.sm_warps : 0;
    result.waves = static_cast<double>(result.ctas) / (context.occupancy.ctas * gpu.sms);
    if (first_out != Sm::kNever) {
        result.tail_cycles = end - static_cast<double>(first_out);
        const double all = gpu.whole(gpu.sms);
        double idle = end * (all - static_cast<double>(sms.size()));
        for (const Sm& sm : sms) {
            idle += end - sm.end();
        }
        result.tail_idle = end > 0 ? idle / ((end + skipped) * all) : 0;
    }
    result.memory = context.memory.counts();
    if (sampler != nullptr && sampler->skipped() != 0) {
        sampler->extend(context.accounts, result.memory);
        result.l1_reads = scaled(result.l1_reads, sampler->factor());
        result.l1_read_hits = scaled(result.l1_read_hits, sampler->factor());
        result.ctas_simulated -= sampler->skipped();
        result.sampling_error = sampler->error_cycles() / result.cycles;
    }
    for (std::size_t i = 0; i < context.accounts.size(); ++i) {
        result.total.add(context.accounts[i]);
        result.flops += static_cast<double>(context.accounts[i].lanes) * context.decoded[i].flops;
    }
    result.masked_instructions = result.total.empty;
    result.warp_instructions = result.total.issued - result.total.empty;
    result.thread_instructions = result.total.lanes;
    result.ipc = static_cast<double>(result.warp_instructions) / result.cycles;
    roofline(gpu, context.launch, result);
}

}  // namespace

Result<KernelResult> run_full(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source,
                              const FullOptions& options) {
    const KernelHeader& header = source.header();
    auto fits = occupancy(gpu, header);
    if (!fits) {
        return fits.error();
    }
    std::optional<MemorySystem> cold;
    MemorySystem& memory = options.memory != nullptr ? *options.memory : cold.emplace(gpu, launch);
    if (options.memory != nullptr) {
        memory.next_launch();
    }
    KernelResult result;
    for (int launches = options.warm_l2 ? 2 : 1; launches > 0; --launches) {
        const std::uint64_t wave = std::uint64_t{fits->ctas} * gpu.whole(gpu.sms);
        CtaSampler sampler(header, source.program(), memory, wave);
        const bool samples = !options.exact && options.observer == nullptr;
        CtaScheduler ctas(source, launch, samples ? &sampler : nullptr);
        LaunchContext context{gpu, launch, header, source.program(), *fits, memory, ctas, {}, {},
                              {},  0,      2,      nullptr,          {}};
        context.observer = launches == 1 ? options.observer : nullptr;
        // Only the SMs that can get a CTA; the others would only take memory.
        const auto used = static_cast<unsigned>(std::min<std::uint64_t>(gpu.whole(gpu.sms), header.grid.count()));
        std::vector<Sm> sms;
        sms.reserve(used);
        for (unsigned i = 0; i < used; ++i) {
            sms.emplace_back(context, i);
        }
        if (auto done = launch_once(context, sms); !done) {
            return done.error();
        }
        if (launches > 1) {
            if (auto back = source.rewind(); !back) {
                return back.error();
            }
            memory.next_launch();
            continue;
        }
        result.kernel = header.name;
        result.gpu = gpu.name;
        result.model = "full";
        result.left_out = source.left_out();
        result.waiting = source.waiting();
        result.grid = header.grid;
        result.block = header.block;
        result.mhz = launch.mhz;
        result.occupancy = *fits;
        result.ctas = result.ctas_simulated = ctas.started();
        summarise(context, sms, samples ? &sampler : nullptr, result);
        result.program = source.program();
        result.by_instruction = std::move(context.accounts);
        for (const StaticInstruction& instruction : result.program) {
            auto& unknown = result.unknown_opcodes;
            if (!instruction.op.known &&
                std::find(unknown.begin(), unknown.end(), instruction.opcode) == unknown.end()) {
                unknown.push_back(instruction.opcode);
            }
        }
    }
    return result;
}

}  // namespace kymo::gpu
