// Places in the frame for a function's registers: linear scan (Poletto and Sarkar, 1999) over their lives.
//
// Contract: internal to compile(). Two registers share a place only if their lives do not overlap; an operation's
// result may take the place of a source that ends with it if both have the same width. 64-bit registers lie at even
// numbers.
#pragma once

#include "gpu/ptx/select/flow.h"

namespace kymo::gpu::ptx {

struct Places {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> number;  // of each register: 32-bit place, or which predicate; kNone: not used
    std::uint32_t registers = 0;
    std::uint32_t predicates = 0;
};

Places allocate(const Function& function, const Flow& flow, std::span<const Draft> drafts);

}  // namespace kymo::gpu::ptx
