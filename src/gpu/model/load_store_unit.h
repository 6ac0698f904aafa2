// An SM's load/store unit: shared memory, constants, and global memory through the L1 and its miss registers.
//
// Contract: as Sm, whose part it is.
#pragma once

#include "gpu/model/launch_context.h"
#include "gpu/model/miss_registers.h"
#include "gpu/model/sectored_cache.h"
#include "gpu/model/server.h"
#include "gpu/trace/warp_code.h"

#include <cstdint>

namespace kymo::gpu {

class LoadStoreUnit {
  public:
    LoadStoreUnit(LaunchContext& context, unsigned sm);

    struct Access {
        double ready = 0;
        Cause cause = Cause::kDependence;
        std::uint64_t issue_blocked = 0;  // the memory pipe accepts nothing before this
        std::uint64_t stored = 0;         // a store or an atomic: done, in the last memory; else 0
    };
    // An issued instruction: where its figures are added. `told`: passed to the observer; may be null.
    struct Issued {
        std::uint64_t cycle = 0;
        unsigned slot = 0;  // of the warp
        IssueObserver::Issue* told = nullptr;
        Account* account = nullptr;
    };
    // `first`: its first lane's address; null: the trace has none.
    Access access(WarpCursor& cursor, const std::uint64_t* first, const Decoded& decoded, const Issued& issued);
    void prefetch(std::uint64_t line) const { l1_.prefetch(line); }

    std::uint64_t l1_reads() const { return l1_reads_; }
    std::uint64_t l1_read_hits() const { return l1_read_hits_; }

  private:
    Access shared(const Decoded& decoded, AccessMemo::Banks banks, const Issued& issued);
    Access global(const Decoded& decoded, const Footprint& footprint, std::uint64_t now);
    // What the lines of a global access wait for. `begin`: when the load/store unit takes it, for `passes` passes.
    void loads(const Footprint& footprint, double begin, double passes, Access& result);
    void stores(const Footprint& footprint, double begin, Access& result);
    void atomics(const Footprint& footprint, double begin, bool wants_result, Access& result);
    Access unknown_constant(std::uint64_t now);
    Access constant(const Footprint& footprint, std::uint64_t now);

    LaunchContext& context_;
    const Gpu& gpu_;
    unsigned sm_;
    SectoredCache l1_;
    SectoredCache constants_;
    bool constants_cold_ = true;
    double constant_ready_ = 0;
    Server unit_;
    Server port_;  // from the interconnect
    MissRegisters misses_;
    std::uint64_t l1_reads_ = 0;
    std::uint64_t l1_read_hits_ = 0;
};

}  // namespace kymo::gpu
