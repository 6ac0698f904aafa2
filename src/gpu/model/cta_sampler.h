// Which CTAs of a long launch need not be simulated, and the error of leaving them out: CTAs equal to simulated
// ones are skipped, many waves at a time, and their time is that of waves measured before and after.
//
// Systematic sampling with functional warming, after Wunderlich et al., "SMARTS" (ISCA 2003), on CTAs in place of
// instructions: two waves fill the machine, then blocks of two waves are measured. Once their mean is known to 1
// %, waves are skipped, one more warms up again and a block is measured, and so on to the last two waves, which
// are always simulated. Skipped CTAs touch the L2, so that its contents stay what they would have been.
//
// The error is the half width of the mean's 95 % confidence interval (Student's t over the blocks), plus kBias for
// the effect of skipping itself: SMs drift apart over a launch, but not while nothing is simulated. Both apply to
// the skipped part.
//
// Contract: one thread; called for every CTA in order. Memory is bounded: beyond kMostSignatures different CTAs,
// the rest is simulated.
#pragma once

#include "gpu/model/cta_signature.h"
#include "gpu/model/memory_system.h"
#include "gpu/model/result.h"

#include <unordered_map>

namespace kymo::gpu {

class CtaSampler {
  public:
    static constexpr std::size_t kMostSignatures = 64;
    static constexpr double kBias = 0.02;
    // `wave`: number of CTAs resident on the whole GPU.
    CtaSampler(const KernelHeader& header, const Program& program, MemorySystem& memory, std::uint64_t wave);

    // Whether to simulate the next CTA. A skipped one has touched the L2 when this returns.
    bool wants(const Cta& cta);
    // The CTA was started at this time.
    void started(const Cta& cta, double time);

    std::uint64_t skipped() const { return skipped_; }
    // The time of the launch beyond the simulated part, and its error.
    double skipped_cycles() const { return mean() * skipped_work_; }
    double error_cycles() const;
    // Scales the counts and charges of the simulated CTAs to all CTAs.
    void extend(std::vector<Account>& accounts, MemoryCounts& counts) const;
    // Warp instructions of all CTAs to those simulated.
    double factor() const { return simulated_work_ > 0 ? 1 + skipped_work_ / simulated_work_ : 1; }

  private:
    enum class Phase : std::uint8_t { kWarming, kMeasuring, kSkipping, kTail };
    struct Kind {
        std::vector<CtaSignature::Share> shares;
        std::uint64_t skipped = 0;
    };
    void begin(Phase phase, std::uint64_t ctas);
    void block_ends(double time);
    double mean() const;
    double half_width() const;

    const KernelHeader& header_;
    const Program& program_;
    MemorySystem& memory_;
    std::uint64_t wave_;
    std::uint64_t number_ = 0;
    Phase phase_;
    std::uint64_t left_;        // CTAs of the phase
    std::uint64_t skip_waves_;  // the next time
    CtaSignature signature_;
    std::unordered_map<std::uint64_t, Kind> kinds_;
    std::vector<CtaSignature::Touch> touches_;
    std::vector<double> observed_;  // cycles a warp instruction of the whole GPU, a block each
    double block_begin_ = 0;
    double block_work_ = 0;
    MemoryCounts block_counts_;     // at the block's begin
    MemoryCounts measured_counts_;  // of all measured blocks
    double measured_work_ = 0;
    double simulated_work_ = 0;
    double skipped_work_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace kymo::gpu
