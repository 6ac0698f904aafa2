#include "gpu/basic/basic_model.h"

#include "gpu/basic/skipped.h"
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
    Spent access(std::uint64_t address) {
        const auto sector = static_cast<std::uint8_t>(1U << (address / kSectorBytes % 4));
        const bool hit = cache_.access(address / kLineBytes, sector, true, false).hits != 0;
        ++reads_;
        hits_ += hit ? 1 : 0;
        return hit ? Spent::kCacheHit : Spent::kCacheMiss;
    }
    double time(Spent access) const { return access == Spent::kCacheHit ? gpu_.l2_latency : gpu_.dram_latency; }
    std::uint64_t reads() const { return reads_; }
    std::uint64_t hits() const { return hits_; }

  private:
    const Gpu& gpu_;
    SectoredCache cache_;
    std::uint64_t reads_ = 0;
    std::uint64_t hits_ = 0;
};

// What an executed instruction takes that is not looked up in the cache, and of what kind that is.
Spent kind_of(const Op& op) {
    return op.op_class == OpClass::kBranch    ? Spent::kBranch
           : op.op_class == OpClass::kBarrier ? Spent::kBarrier
           : op.space == Space::kShared       ? Spent::kShared
           : op.op_class == OpClass::kMemory  ? Spent::kConstant  // whose addresses are not in traces
                                              : Spent::kArithmetic;
}
double latency_of(const Gpu& gpu, const Op& op) {
    switch (kind_of(op)) {
        case Spent::kBranch:
            return gpu.taken_branch;
        case Spent::kBarrier:
            return gpu.barrier_latency;
        case Spent::kShared:
            return gpu.shared_latency;
        case Spent::kConstant:
            return gpu.constant_latency;
        default:
            return gpu.latency[static_cast<std::size_t>(op.op_class)];
    }
}

// The thread simulators for a warp's trace.
class Threads {
  public:
    // `first`: the number of the warp's first thread in the launch.
    Threads(const Gpu& gpu, CacheModel& cache, KernelResult& result, StepObserver* observer, std::uint64_t first,
            std::uint32_t launched)
        : gpu_(gpu), cache_(cache), result_(result), observer_(observer), first_(first), running_(launched) {}

    void begin(std::uint64_t cta) {
        result_.threads += lanes_in(running_);
        each(running_, [&](unsigned lane) {
            if (observer_ != nullptr) {
                observer_->thread_begins(first_ + lane, cta);
            }
        });
    }
    // An instruction that the whole warp branched around.
    void pass(std::uint32_t index, const StaticInstruction& instruction) {
        each(running_, [&](unsigned lane) { step(lane, index, instruction, Spent::kMasked, nop()); });
        result_.walked_around += lanes_in(running_);
    }
    void execute(const StaticInstruction& instruction, WarpCursor& cursor) {
        const std::uint32_t mask = cursor.mask() & running_;
        const bool ends = instruction.op.op_class == OpClass::kExit;
        LaneAddresses addresses;
        const bool memory = cursor.has_addresses() && cursor.addresses(addresses);
        const Spent kind = kind_of(instruction.op);
        const double fixed = latency_of(gpu_, instruction.op);
        each(running_, [&](unsigned lane) {
            if ((mask >> lane & 1U) == 0) {
                step(lane, cursor.index(), instruction, Spent::kMasked, nop());
                return;
            }
            ++result_.thread_instructions;
            if (ends) {
                end(lane);
            } else if (memory && instruction.op.space != Space::kShared) {
                const Spent access = cache_.access(addresses.of[lane]);
                step(lane, cursor.index(), instruction, access, cache_.time(access));
            } else {
                step(lane, cursor.index(), instruction, kind, fixed);
            }
        });
        running_ &= ends ? ~mask : ~0U;
    }
    // Those that the trace ends without an end instruction.
    void finish() {
        each(running_, [&](unsigned lane) { end(lane); });
    }
    double longest() const { return *std::max_element(time_.begin(), time_.end()); }

  private:
    template <typename F>
    static void each(std::uint32_t lanes, F f) {
        for (; lanes != 0; lanes &= lanes - 1) {
            f(static_cast<unsigned>(std::countr_zero(lanes)));
        }
    }
    double nop() const { return gpu_.latency[static_cast<std::size_t>(OpClass::kNop)]; }
    void step(unsigned lane, std::uint32_t index, const StaticInstruction& instruction, Spent spent, double cycles) {
        const double begin = time_[lane];
        time_[lane] += cycles;
        result_.thread_cycles += cycles;
        result_.spent[static_cast<std::size_t>(spent)] += cycles;
        result_.spent_by_instruction[index][static_cast<std::size_t>(spent)] += cycles;
        if (observer_ != nullptr) {
            observer_->stepped({first_ + lane, begin, time_[lane], index, instruction.pc, spent});
        }
    }
    void end(unsigned lane) {
        if (observer_ != nullptr) {
            observer_->thread_ends(first_ + lane, time_[lane]);
        }
    }

    const Gpu& gpu_;
    CacheModel& cache_;
    KernelResult& result_;
    StepObserver* observer_;
    std::uint64_t first_;
    std::array<double, kWarpLanes> time_{};
    std::uint32_t running_;
};

}  // namespace

Result<KernelResult> run_basic(const Gpu& gpu, const LaunchCosts& launch, KernelSource& source,
                               StepObserver* observer) {
    const auto ways = BranchWays::of(source);
    if (!ways) {
        return ways.error();
    }
    KernelResult result;
    const KernelHeader& header = source.header();
    result.kernel = header.name;
    result.gpu = gpu.name;
    result.model = "basic";
    result.grid = header.grid;
    result.block = header.block;
    result.mhz = launch.mhz;
    CacheModel cache(gpu);
    Skipping skipping(*ways);
    double makespan = 0;
    for (;;) {
        auto cta = source.next_cta();
        if (!cta) {
            return cta.error();
        }
        if (!*cta) {
            break;
        }
        const std::uint64_t number = result.ctas++;
        const Program& program = source.program();
        result.by_instruction.resize(program.size());
        result.spent_by_instruction.resize(program.size());
        for (const WarpTrace& warp : (*cta)->warps) {
            const std::uint64_t before = static_cast<std::uint64_t>(warp.id) * kWarpLanes;
            const std::uint64_t left = header.block.count() - std::min(header.block.count(), before);
            const std::uint32_t launched = left >= kWarpLanes ? 0xFFFF'FFFFU : (std::uint32_t{1} << left) - 1U;
            Threads threads(gpu, cache, result, observer, number * header.block.count() + before, launched);
            threads.begin(number);
            skipping.begin_warp();
            WarpCursor cursor(program, warp);
            while (cursor.next()) {
                for (const std::uint32_t around : skipping.arrive(cursor.index())) {
                    threads.pass(around, program[around]);
                }
                count_issue(result.by_instruction[cursor.index()], cursor.mask());
                threads.execute(program[cursor.index()], cursor);
            }
            if (cursor.broken()) {
                return Error{ErrorKind::kMalformed, header.name + ": a warp's instructions cannot be decoded",
                             "make the compact trace again with kymo gpu trace"};
            }
            threads.finish();
            makespan = std::max(makespan, threads.longest());
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
