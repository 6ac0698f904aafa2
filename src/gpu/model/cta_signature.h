// What a CTA does, without where in memory: CTAs with the same signature execute the same instructions under the same
// masks, and the lanes of each of their accesses lie in the same places of the same sectors, banks and lines. They
// differ in the lines alone.
//
// Contract: one thread. Warps that share their code bytes and access no memory are walked once. Cost: 5 ns an
// instruction, 30 to 100 ns a memory access.
#pragma once

#include "gpu/model/coalesce.h"
#include "gpu/model/result.h"
#include "gpu/trace/kernel.h"

#include <memory>
#include <vector>

namespace kymo::gpu {

class CtaSignature {
  public:
    // A line of global memory that the CTA touches.
    struct Touch {
        LineAccess access;
        bool store = false;
    };
    // What one of its instructions does over the whole CTA.
    struct Share {
        std::uint32_t instruction = 0;
        Counts counts;
    };

    // `touches`: the global lines touched, in the order of the warps; lines of local memory, which depend on a
    // warp's place in its SM, are left out.
    std::uint64_t of(const KernelHeader& header, const Program& program, const Cta& cta, std::vector<Touch>* touches);
    static std::vector<Share> shares(const KernelHeader& header, const Program& program, const Cta& cta);

  private:
    std::uint64_t of_warp(const KernelHeader& header, const Program& program, const WarpTrace& warp,
                          std::vector<Touch>* touches, bool& accesses);

    std::shared_ptr<const std::vector<std::uint8_t>>
        last_;  // without accesses; kept, so that its address is not reused
    std::uint64_t last_signature_ = 0;
};

}  // namespace kymo::gpu
