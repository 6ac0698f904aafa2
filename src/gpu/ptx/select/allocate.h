// Places in the frame for a function's registers: linear scan (Poletto and Sarkar, 1999) over their lives.
//
// Contract: internal to compile(). Two registers share a place only if they have the same width and their lives do
// not overlap; an operation's result may take the place of a source that ends with it. Lives are those of one
// lane: for registers of the same width, a lane's part of a place is the same, so that lanes on different sides of
// a branch do not touch each other's. For different widths it is not: a 64-bit value of one lane would overlap
// 32-bit values of others.
//
// The models' register numbers are separate: in a processor each lane has registers of its own, and widths share
// them. 64-bit registers are at even numbers and places.
#pragma once

#include "gpu/ptx/select/flow.h"

namespace kymo::gpu::ptx {

struct Places {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> number;  // of each register, as models have it; kNone: not used
    std::uint32_t registers = 0;        // number of 32-bit ones
    std::vector<std::uint32_t> place;   // of each register: 32-bit place in the frame, or which predicate
    std::uint32_t places = 0;
    std::uint32_t predicates = 0;
};

Places allocate(const Function& function, const Flow& flow, std::span<const Draft> drafts);

}  // namespace kymo::gpu::ptx
