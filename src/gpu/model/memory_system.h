// What all SMs share: the L2, in slices that lines are spread over and in up to two partitions, and the DRAM behind
// it.
//
// Times are cycles of the SM clock. A request's time is the unloaded latency of the level that has the data, measured
// by pointer chasing, plus its waits for the slice and the DRAM channel, each a Server with the level's bandwidth.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/model/coalesce.h"
#include "gpu/model/sectored_cache.h"
#include "gpu/model/server.h"

namespace kymo::gpu {

enum class Level : std::uint8_t { kL1, kL2, kDram };

struct Reply {
    double ready = 0;  // the last sector is back in the SM
    Level level = Level::kL2;
};

struct MemoryCounts {
    std::uint64_t l2_reads = 0;  // sectors
    std::uint64_t l2_read_hits = 0;
    std::uint64_t l2_writes = 0;
    std::uint64_t l2_atomics = 0;  // lanes
    std::uint64_t dram_reads = 0;  // sectors
    std::uint64_t dram_writes = 0;
};

class MemorySystem {
  public:
    MemorySystem(const Gpu& gpu, const LaunchCosts& launch);

    Reply read(double time, unsigned sm, const LineAccess& access);
    // Returns when the L2 has it; the SM does not wait for that.
    double write(double time, unsigned sm, const LineAccess& access);
    // Read-modify-write of `access.lanes` lanes, one after another on the slice.
    Reply atomic(double time, unsigned sm, const LineAccess& access);

    // Has the host prefetch what an access to the line will read first and, once that is cached, what it will read
    // next.
    void prefetch(std::uint64_t line) const { l2_.prefetch(line); }
    void prefetch_way(std::uint64_t line) const { l2_.prefetch_way(line); }

    // No access will come for a time before this: bookings that end before it may be forgotten.
    void forget_before(double time) { horizon_ = time; }

    // Updates the L2's contents as such an access would, outside time: nothing is booked or counted.
    void touch(const LineAccess& access, bool store);

    const MemoryCounts& counts() const { return counts_; }
    double slices_busy() const;    // mean cycles a slice was busy
    double channels_busy() const;  // mean cycles a channel was busy
    // Keeps the contents, clears times and counts: the state that a second launch finds.
    void next_launch();

  private:
    double latency(std::uint64_t hash, unsigned sm) const {
        // The partition is a bit of the hash that no slice or set number uses.
        return (hash >> 63U) == (sm & 1U) ? gpu_.l2_latency : gpu_.l2_far_latency;
    }
    // Additional time of a DRAM access over an L2 hit; its measured latency is a mean over both partitions.
    double behind_l2() const { return gpu_.dram_latency - (gpu_.l2_latency + gpu_.l2_far_latency) / 2; }
    double dram(double time, std::uint64_t line, unsigned sectors);

    const Gpu& gpu_;
    SectoredCache l2_;
    std::vector<Server> slices_;
    std::vector<Server> channels_;
    double read_cycles_;   // of a slice, to give one sector
    double write_cycles_;  // to take one
    double dram_cycles_;   // to move one byte
    double horizon_ = 0;
    MemoryCounts counts_;
};

}  // namespace kymo::gpu
