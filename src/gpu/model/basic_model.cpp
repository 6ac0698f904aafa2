#include "gpu/model/basic_model.h"

#include "gpu/model/access_counts.h"

#include <algorithm>
#include <bit>

namespace kymo::gpu {
namespace {

// The cache access model: one cache in front of the memory, common to all threads.
class CacheModel {
  public:
    explicit CacheModel(const Gpu& gpu)
        : gpu_(gpu), cache_(static_cast<std::uint64_t>(gpu.l2_size), gpu.whole(gpu.l2_ways)) {}
    double time(std::uint64_t address) {
        const auto sector = static_cast<std::uint8_t>(1U << (address / kSectorBytes % 4));
        const bool hit = cache_.access(address / kLineBytes, sector, true, false).hits != 0;
        ++reads_;
        hits_ += hit ? 1 : 0;
        return hit ? gpu_.l2_latency : gpu_.dram_latency;
    }
    std::uint64_t reads() const { return reads_; }
    std::uint64_t hits() const { return hits_; }

  private:
    const Gpu& gpu_;
    SectoredCache cache_;
    std::uint64_t reads_ = 0;
    std::uint64_t hits_ = 0;
};

// The 32 thread simulators that a warp's trace tells of.
class Threads {
  public:
    Threads(const Gpu& gpu, CacheModel& cache, std::uint32_t launched)
        : gpu_(gpu), cache_(cache), running_(launched) {}

    void step(const StaticInstruction& instruction, WarpCursor& cursor) {
        const std::uint32_t mask = cursor.mask() & running_;
        const bool end = instruction.op.op_class == OpClass::kExit;
        LaneAddresses addresses;
        const bool memory = cursor.has_addresses() && cursor.addresses(addresses);
        const double fixed = latency(instruction.op);
        for (std::uint32_t left = running_; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(left));
            if ((mask >> lane & 1U) == 0) {
                time_[lane] += gpu_.latency[static_cast<std::size_t>(OpClass::kNop)];
            } else if (memory && instruction.op.space != Space::kShared) {
                time_[lane] += cache_.time(addresses.of[lane]);
                ++executed_;
            } else if (!end) {
                time_[lane] += fixed;
                ++executed_;
            }
        }
        if (end) {
            executed_ += lanes_in(mask);
            running_ &= ~mask;
        }
    }
    const std::array<double, kWarpLanes>& times() const { return time_; }
    std::uint64_t executed() const { return executed_; }

  private:
    double latency(const Op& op) const {
        if (op.op_class == OpClass::kBranch) {
            return gpu_.taken_branch;
        }
        if (op.op_class == OpClass::kBarrier) {
            return gpu_.barrier_latency;
        }
        if (op.space == Space::kShared) {
            return gpu_.shared_latency;
        }
        if (op.op_class == OpClass::kMemory) {
            return gpu_.constant_latency;  // constants, whose addresses traces do not give
        }
        return gpu_.latency[static_cast<std::size_t>(op.op_class)];
    }

    const Gpu& gpu_;
    CacheModel& cache_;
    std::array<double, kWarpLanes> time_{};
    std::uint32_t running_;
    std::uint64_t executed_ = 0;
};

}  // namespace

Result<KernelResult> run_basic(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source) {
    KernelResult result;
    const KernelHeader& header = source.header();
    result.kernel = header.name;
    result.gpu = gpu.name;
    result.model = "basic";
    result.grid = header.grid;
    result.block = header.block;
    result.mhz = launch.mhz;
    CacheModel cache(gpu);
    double makespan = 0;
    for (;;) {
        auto cta = source.next_cta();
        if (!cta) {
            return cta.error();
        }
        if (!*cta) {
            break;
        }
        ++result.ctas;
        const Program& program = source.program();
        result.by_instruction.resize(program.size());
        for (const WarpTrace& warp : (*cta)->warps) {
            const std::uint64_t before = static_cast<std::uint64_t>(warp.id) * kWarpLanes;
            const std::uint64_t left = header.block.count() - std::min(header.block.count(), before);
            const std::uint32_t launched = left >= kWarpLanes ? 0xFFFF'FFFFU : (std::uint32_t{1} << left) - 1U;
            Threads threads(gpu, cache, launched);
            WarpCursor cursor(program, warp);
            while (cursor.next()) {
                Account& account = result.by_instruction[cursor.index()];
                count_issue(account, cursor.mask());
                threads.step(program[cursor.index()], cursor);
            }
            if (cursor.broken()) {
                return Error{ErrorKind::kMalformed, header.name + ": a warp's instructions cannot be decoded",
                             "make the compact trace again with kymo gpu trace"};
            }
            for (const double time : threads.times()) {
                result.thread_cycles += time;
                makespan = std::max(makespan, time);
            }
            result.thread_instructions += threads.executed();
        }
    }
    result.left_out = source.left_out();
    result.waiting = source.waiting();
    result.program = source.program();
    for (const Account& account : result.by_instruction) {
        result.total.add(account);
    }
    result.ctas_simulated = result.ctas;
    result.masked_instructions = result.total.empty;
    result.warp_instructions = result.total.issued - result.total.empty;
    result.cycles = makespan;
    result.time_us = makespan / launch.mhz;
    result.ipc = makespan > 0 ? static_cast<double>(result.warp_instructions) / makespan : 0;
    result.thread_ipc = makespan > 0 ? static_cast<double>(result.thread_instructions) / makespan : 0;
    result.memory.l2_reads = cache.reads();
    result.memory.l2_read_hits = cache.hits();
    return result;
}

}  // namespace kymo::gpu
