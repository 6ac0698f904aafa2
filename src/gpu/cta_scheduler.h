// The GPU's distributor: starts CTAs in order, one every few cycles, on the SM that has room.
//
// Contract: one thread. CTAs come from the source as they are started, so that only resident ones are in memory.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/kernel.h"
#include "gpu/server.h"

#include <utility>

namespace kymo::gpu {

class CtaScheduler {
  public:
    CtaScheduler(KernelSource& source, const LaunchCosts& launch) : source_(source), launch_(launch) {}

    struct Start {
        double time = 0;  // the distributor hands it over; its warps run cta_start later
        std::uint64_t number = 0;
        Cta cta;
    };
    // The next CTA, for a place that is free from `time` on; none when all have been started.
    Result<std::optional<Start>> next(double time) {
        auto cta = source_.next_cta();
        if (!cta) {
            return cta.error();
        }
        if (!*cta) {
            return std::optional<Start>();
        }
        return std::optional<Start>(Start{distributor_.book(time, launch_.cta_cycles), number_++, std::move(**cta)});
    }
    std::uint64_t started() const { return number_; }

  private:
    KernelSource& source_;
    LaunchCosts launch_;
    Server distributor_;
    std::uint64_t number_ = 0;
};

}  // namespace kymo::gpu
