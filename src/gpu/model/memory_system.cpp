#include "gpu/model/memory_system.h"

#include "gpu/trace/counting.h"

#include <algorithm>

namespace kymo::gpu {
namespace {

double mean_busy(const std::vector<Server>& servers) {
    double sum = 0;
    for (const Server& server : servers) {
        sum += server.busy();
    }
    return sum / static_cast<double>(servers.size());
}

}  // namespace

MemorySystem::MemorySystem(const Gpu& gpu, const LaunchCosts& launch)
    : gpu_(gpu),
      l2_(static_cast<std::uint64_t>(gpu.l2_size), gpu.whole(gpu.l2_ways)),
      slices_(gpu.whole(gpu.l2_slices)),
      channels_(gpu.whole(gpu.dram_channels)),
      read_cycles_(kSectorBytes * gpu.l2_slices / Gpu::bytes_per_cycle(gpu.l2_bandwidth, launch)),
      write_cycles_(kSectorBytes * gpu.l2_slices / Gpu::bytes_per_cycle(gpu.l2_write_bandwidth, launch)),
      dram_cycles_(gpu.dram_channels / Gpu::bytes_per_cycle(gpu.dram_bandwidth, launch)) {}

double MemorySystem::dram(double time, std::uint64_t line, unsigned sectors) {
    // Neighbouring lines go to one channel, 1 KiB at a time.
    Server& channel = channels_[pick(spread(line / 8), channels_.size())];
    const double bytes = std::max(static_cast<double>(sectors) * kSectorBytes, gpu_.dram_access_bytes);
    return channel.book(time, bytes * dram_cycles_, horizon_) - time;
}

Reply MemorySystem::read(double time, unsigned sm, const LineAccess& access) {
    const std::uint64_t hash = spread(access.line * 3);
    const unsigned sectors = sectors_in(access.sectors);
    Server& slice = slices_[pick(hash, slices_.size())];
    const double begin = slice.book(time, sectors * read_cycles_, horizon_);
    const auto outcome = l2_.access(access.line, access.sectors, true, false);
    const unsigned missing = sectors - sectors_in(outcome.hits);
    counts_.l2_reads += sectors;
    counts_.l2_read_hits += sectors - missing;
    double ready = begin + latency(hash, sm);
    if (outcome.evicted_dirty != 0) {
        (void)dram(begin, outcome.evicted_line, sectors_in(outcome.evicted_dirty));
        counts_.dram_writes += sectors_in(outcome.evicted_dirty);
    }
    if (missing != 0) {
        counts_.dram_reads += missing;
        const double wait = dram(begin, access.line, missing);
        ready += behind_l2() + wait;
        l2_.arrives(outcome.place, access.line, ready);
        return {ready, Level::kDram};
    }
    if (outcome.ready > ready) {
        return {outcome.ready, Level::kDram};
    }
    return {ready, Level::kL2};
}

double MemorySystem::write(double time, unsigned sm, const LineAccess& access) {
    const std::uint64_t hash = spread(access.line * 3);
    const unsigned sectors = sectors_in(access.sectors);
    const double begin = slices_[pick(hash, slices_.size())].book(time, sectors * write_cycles_, horizon_);
    const auto outcome = l2_.access(access.line, access.sectors, true, true);
    counts_.l2_writes += sectors;
    if (outcome.evicted_dirty != 0) {
        (void)dram(begin, outcome.evicted_line, sectors_in(outcome.evicted_dirty));
        counts_.dram_writes += sectors_in(outcome.evicted_dirty);
    }
    return begin + latency(hash, sm);
}

Reply MemorySystem::atomic(double time, unsigned sm, const LineAccess& access) {
    const std::uint64_t hash = spread(access.line * 3);
    Server& slice = slices_[pick(hash, slices_.size())];
    const double begin = slice.book(time, access.lanes * gpu_.atomic_cycles, horizon_);
    const auto outcome = l2_.access(access.line, access.sectors, true, true);
    const unsigned missing = sectors_in(access.sectors) - sectors_in(outcome.hits);
    counts_.l2_atomics += access.lanes;
    Reply reply{begin + latency(hash, sm) + access.lanes * gpu_.atomic_cycles, Level::kL2};
    if (missing != 0) {
        counts_.dram_reads += missing;
        reply.ready += behind_l2() + dram(begin, access.line, missing);
        reply.level = Level::kDram;
        l2_.arrives(outcome.place, access.line, reply.ready);
    }
    return reply;
}

void MemorySystem::touch(const LineAccess& access, bool store) {
    (void)l2_.access(access.line, access.sectors, true, store);
}

double MemorySystem::slices_busy() const {
    return mean_busy(slices_);
}

double MemorySystem::channels_busy() const {
    return mean_busy(channels_);
}

void MemorySystem::next_launch() {
    l2_.settle();
    counts_ = {};
    horizon_ = 0;
    for (Server& server : slices_) {
        server.restart();
    }
    for (Server& server : channels_) {
        server.restart();
    }
}

}  // namespace kymo::gpu
