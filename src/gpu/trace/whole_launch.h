// Checks a trace against the launch that its header announces: every CTA of the grid once, with every warp of the
// block.
//
// A trace that was cut off, or made of a part of the CTAs, has a shorter time than its kernel, and nothing in the
// result would show it.
//
// Contract: as of a KernelSource; what is missing is known when the last CTA has been read. Memory: CTAs that come
// out of the grid's order, until those before them have come.
#pragma once

#include "gpu/trace/kernel.h"

#include <unordered_set>

namespace kymo::gpu {

// How to treat a trace that lacks CTAs or warps, or has some twice.
enum class Extent : std::uint8_t {
    kWhole,      // an error
    kPartial,    // read, and described by left_out()
    kAsWritten,  // read without a check: for copies
};

class WholeLaunch : public KernelSource {
  public:
    // `name` identifies the trace in error messages.
    WholeLaunch(std::unique_ptr<KernelSource> trace, std::string name, bool partial)
        : trace_(std::move(trace)), name_(std::move(name)), partial_(partial) {}

    const KernelHeader& header() const override { return trace_->header(); }
    const Program& program() const override { return trace_->program(); }
    const std::vector<TracedOperand>& operands() const override { return trace_->operands(); }
    Result<std::optional<Cta>> next_cta() override;
    Result<void> rewind() override;
    std::string left_out() const override;

  private:
    // Counts a CTA; false: it has come before.
    bool first_time(std::uint64_t number);
    // What is wrong with the CTA, in words; empty: nothing.
    std::string look_at(const Cta& cta);
    // The warps of the block that the CTA lacks, or has no instruction of, as words; empty: it has all.
    std::string warps_missing(const Cta& cta);
    std::string at_end() const;

    std::unique_ptr<KernelSource> trace_;
    std::string name_;
    bool partial_;
    std::uint64_t begun_ = 0;                   // CTAs before this one have all come
    std::unordered_set<std::uint64_t> beyond_;  // and those after it that have
    std::uint64_t outside_ = 0;                 // CTAs that the grid does not have
    std::uint64_t again_ = 0;
    std::uint64_t cut_ctas_ = 0;  // with warps missing
};

}  // namespace kymo::gpu
