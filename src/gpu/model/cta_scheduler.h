// The GPU's distributor: starts CTAs in order, one every few cycles, on the SM that has room.
//
// Contract: one thread. CTAs come from the source as they are started, so that only resident ones are in memory.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/model/cta_sampler.h"
#include "gpu/model/server.h"
#include "gpu/trace/kernel.h"

#include <utility>

namespace kymo::gpu {

class CtaScheduler {
  public:
    // `sampler`: decides which CTAs need not be started; null: all are started.
    CtaScheduler(KernelSource& source, const LaunchCosts& launch, CtaSampler* sampler)
        : source_(source), launch_(launch), sampler_(sampler) {}

    struct Start {
        double time = 0;  // the distributor hands it over; its warps run cta_start later
        std::uint64_t number = 0;
        Cta cta;
    };
    // The next CTA, for a place that is free from `time` on; none when all have been started. No place will come
    // free before `horizon` any more.
    Result<std::optional<Start>> next(double time, double horizon) {
        for (;;) {
            auto cta = source_.next_cta();
            if (!cta) {
                return cta.error();
            }
            if (!*cta) {
                return std::optional<Start>();
            }
            const std::uint64_t number = number_++;
            if (sampler_ != nullptr && !sampler_->wants(**cta)) {
                continue;
            }
            const double begin = distributor_.book(time, launch_.cta_cycles, horizon);
            if (sampler_ != nullptr) {
                sampler_->started(**cta, begin);
            }
            return std::optional<Start>(Start{begin, number, std::move(**cta)});
        }
    }
    // CTAs of the launch so far, including the skipped ones.
    std::uint64_t started() const { return number_; }

  private:
    KernelSource& source_;
    LaunchCosts launch_;
    CtaSampler* sampler_;
    Server distributor_;
    std::uint64_t number_ = 0;
};

}  // namespace kymo::gpu
