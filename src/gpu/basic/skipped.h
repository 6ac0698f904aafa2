// Which static instructions a warp passes over when it branches around them: those on the paths from the branch to
// its meeting point that the warp does not take.
//
// The paths are those that the warps of the launch took, since a trace contains no others. Code behind a backward
// branch has been walked already and is not passed over.
//
// Contract: BranchWays is immutable. A Skipping serves one warp at a time and gets the warp's instructions in
// order.
#pragma once

#include "gpu/trace/kernel.h"

#include <map>
#include <utility>
#include <vector>

namespace kymo::gpu {

class BranchWays {
  public:
    static constexpr std::size_t kMostInstructions = 1U << 15U;

    // Reads the whole launch, and goes back to its beginning. Errors: the source's; kUnsupported: a kernel of more
    // than kMostInstructions, or a source that cannot be read twice.
    static Result<BranchWays> of(KernelSource& source);

    struct Way {
        std::uint32_t meet = 0;              // program.size(): none
        std::vector<std::uint32_t> skipped;  // by warps that take this path
    };
    // Of a branch's two instructions, one after the other; null: nothing is passed over.
    const Way* way(std::uint32_t from, std::uint32_t to) const {
        const auto found = ways_.find({from, to});
        return found == ways_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Way> ways_;
};

class Skipping {
  public:
    explicit Skipping(const BranchWays& ways) : ways_(ways), is_due_(ways.size()) {}

    void begin_warp();
    // The warp comes to an instruction; those that it has passed over, once it is where the ways meet.
    const std::vector<std::uint32_t>& arrive(std::uint32_t index);

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Pending {
        std::uint32_t branch = 0;
        std::uint32_t meet = 0;
        std::vector<std::uint32_t> instructions;
    };

    const BranchWays& ways_;
    std::vector<std::uint8_t> is_due_;  // by instruction: passed over, and neither executed nor walked since
    std::vector<Pending> pending_;
    std::vector<std::uint32_t> walked_;
    std::uint32_t before_ = kNone;
};

}  // namespace kymo::gpu
