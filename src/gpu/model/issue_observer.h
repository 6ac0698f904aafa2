// Observes a modelled launch.
#pragma once

#include "gpu/model/result.h"

#include <cstdint>

namespace kymo::gpu {

// Called for every issue, for timelines. `slot` counts warp places of one SM.
class IssueObserver {
  public:
    virtual ~IssueObserver() = default;
    struct Issue {
        unsigned sm = 0;
        unsigned slot = 0;
        std::uint64_t cycle = 0;
        std::uint32_t instruction = 0;
        std::uint64_t pc = 0;
        std::uint32_t mask = 0;
        Cause cause = Cause::kIssue;  // of the wait before
        std::uint64_t waited = 0;     // cycles since the warp's issue before
        unsigned sectors = 0;
        unsigned extra_passes = 0;
    };
    virtual void warp_begins(unsigned sm, unsigned slot, std::uint64_t cycle, std::uint64_t cta,
                             std::uint32_t warp) = 0;
    virtual void issued(const Issue& issue) = 0;
    virtual void warp_ends(unsigned sm, unsigned slot, std::uint64_t cycle) = 0;
};

}  // namespace kymo::gpu
