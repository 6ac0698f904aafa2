#include "gpu/model/cta_sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kymo::gpu {
namespace {

constexpr std::uint64_t kBlock = 2;  // waves: a long one and the short one after it even out
constexpr std::size_t kLeastObserved = 6;
constexpr double kGoal = 0.01;  // half width of the mean, before anything is skipped
constexpr std::uint64_t kFewestWaves = 24;
constexpr std::uint64_t kFirstSkip = 4;  // waves
constexpr std::uint64_t kLongestSkip = 16;

// Student's t, 97.5 %, by degrees of freedom; the normal distribution's beyond.
double quantile(std::size_t freedom) {
    constexpr std::array<double, 31> kQuantile = {0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                                  2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                                                  2.120, 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069,
                                                  2.064, 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    return freedom < kQuantile.size() ? kQuantile[freedom] : 1.96;
}

double work_of(const Cta& cta) {
    double work = 0;
    for (const WarpTrace& warp : cta.warps) {
        work += static_cast<double>(warp.instructions);
    }
    return work;
}

// Applies `change` to each count of a pair.
template <typename Change>
void each(MemoryCounts& left, const MemoryCounts& right, Change&& change) {
    for (auto member : {&MemoryCounts::l2_reads, &MemoryCounts::l2_read_hits, &MemoryCounts::l2_writes,
                        &MemoryCounts::l2_atomics, &MemoryCounts::dram_reads, &MemoryCounts::dram_writes}) {
        change(left.*member, right.*member);
    }
}

}  // namespace

CtaSampler::CtaSampler(const KernelHeader& header, const Program& program, MemorySystem& memory, std::uint64_t wave)
    : header_(header),
      program_(program),
      memory_(memory),
      wave_(wave),
      phase_(Phase::kWarming),
      left_(2 * wave),
      skip_waves_(kFirstSkip) {
    if (header.grid.count() < kFewestWaves * wave) {
        begin(Phase::kTail, 0);  // skipping would save little
    }
}

double CtaSampler::error_cycles() const {
    return skipped_ != 0 ? (half_width() + kBias * mean()) * skipped_work_ : 0;
}

void CtaSampler::begin(Phase phase, std::uint64_t ctas) {
    phase_ = phase;
    left_ = ctas;
}

bool CtaSampler::wants(const Cta& cta) {
    const std::uint64_t rest = header_.grid.count() - std::min(header_.grid.count(), number_);
    ++number_;
    if (phase_ != Phase::kTail && rest <= 2 * wave_) {
        begin(Phase::kTail, 0);
    }
    if (phase_ == Phase::kTail) {
        return true;
    }
    const bool may_skip = phase_ == Phase::kSkipping;
    touches_.clear();
    const std::uint64_t signature = signature_.of(header_, program_, cta, may_skip ? &touches_ : nullptr);
    const auto kind = kinds_.find(signature);
    if (kind == kinds_.end()) {
        if (kinds_.size() == kMostSignatures) {
            begin(Phase::kTail, 0);
        } else {
            kinds_[signature].shares = CtaSignature::shares(header_, program_, cta);
        }
    } else if (may_skip) {
        for (const CtaSignature::Touch& touch : touches_) {
            memory_.touch(touch.access, touch.store);
        }
        ++kind->second.skipped;
        ++skipped_;
        skipped_work_ += work_of(cta);
    }
    const bool skipped = may_skip && kind != kinds_.end();
    if (may_skip && --left_ == 0) {
        begin(Phase::kWarming, wave_);
    }
    return !skipped;
}

void CtaSampler::started(const Cta& cta, double time) {
    const double work = work_of(cta);
    simulated_work_ += work;
    if (phase_ == Phase::kSkipping || phase_ == Phase::kTail) {
        return;
    }
    if (left_ == 0) {  // the phase before ended with the CTA before
        if (phase_ == Phase::kMeasuring) {
            block_ends(time);
        } else {
            begin(Phase::kMeasuring, kBlock * wave_);
        }
        block_begin_ = time;
        block_work_ = 0;
        block_counts_ = memory_.counts();
    }
    block_work_ += work;
    --left_;
}

void CtaSampler::block_ends(double time) {
    begin(Phase::kMeasuring, kBlock * wave_);
    if (block_work_ <= 0) {
        return;
    }
    observed_.push_back((time - block_begin_) / block_work_);
    measured_work_ += block_work_;
    each(measured_counts_, memory_.counts(), [](std::uint64_t& sum, std::uint64_t now) { sum += now; });
    each(measured_counts_, block_counts_, [](std::uint64_t& sum, std::uint64_t then) { sum -= then; });
    if (observed_.size() >= kLeastObserved && half_width() <= kGoal * mean()) {
        begin(Phase::kSkipping, skip_waves_ * wave_);
        skip_waves_ = std::min(2 * skip_waves_, kLongestSkip);
    }
}

double CtaSampler::mean() const {
    double sum = 0;
    for (const double one : observed_) {
        sum += one;
    }
    return observed_.empty() ? 0 : sum / static_cast<double>(observed_.size());
}

double CtaSampler::half_width() const {
    const auto count = static_cast<double>(observed_.size());
    if (observed_.size() < 2) {
        return 0;
    }
    const double middle = mean();
    double squares = 0;
    for (const double one : observed_) {
        squares += (one - middle) * (one - middle);
    }
    return quantile(observed_.size() - 1) * std::sqrt(squares / (count - 1) / count);
}

void CtaSampler::extend(std::vector<Account>& accounts, MemoryCounts& counts) const {
    std::vector<Counts> skipped(accounts.size());
    for (const auto& [signature, kind] : kinds_) {
        for (const CtaSignature::Share& share : kind.shares) {
            skipped[share.instruction].add(share.counts, kind.skipped);
        }
    }
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        Account& account = accounts[i];
        if (account.issued != 0) {
            const double by = static_cast<double>(skipped[i].issued) / static_cast<double>(account.issued);
            for (double& cycles : account.cycles) {
                cycles *= 1 + by;
            }
            account.Counts::add(skipped[i]);
        }
    }
    if (measured_work_ > 0) {
        const double by = skipped_work_ / measured_work_;
        each(counts, measured_counts_, [by](std::uint64_t& value, std::uint64_t measured) {
            value += static_cast<std::uint64_t>(std::llround(static_cast<double>(measured) * by));
        });
    }
}

}  // namespace kymo::gpu
