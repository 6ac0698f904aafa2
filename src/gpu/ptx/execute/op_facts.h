// What the checks need of an operation beyond its handler: which registers of the program it reads and writes, and
// how it touches memory.
//
// Contract: internal to compile() and Checker. Made for every operation; not read while no check is on.
#pragma once

#include "gpu/ptx/select/draft.h"

#include <vector>

namespace kymo::gpu::ptx {

struct RegisterUse {
    static constexpr std::uint32_t kConstant = ~std::uint32_t{0};
    std::uint32_t number = 0;  // in Function::registers; from its size on presets, or a constant
    std::uint32_t place = 0;   // in the frame
    std::uint8_t bits = 32;
    std::uint8_t slot = 0;  // of the draft; kGuard: the predicate that it executes under
    bool writes = false;
};
inline constexpr std::uint8_t kGuardSlot = 255;

// Of Compiled::uses.
struct UseRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct OpFacts {
    Operation operation = Operation::kNone;
    StateSpace space = StateSpace::kNone;
    std::uint8_t bytes = 0;  // of a lane's access; 0: it touches no checked memory
    std::uint16_t accesses = 0;
    bool loads = false;
    bool stores = false;
    bool strong = false;      // volatile, relaxed or stronger: two such accesses do not race
    bool fences = false;      // membar, fence, a release
    bool syncs_warp = false;  // bar.warp.sync
    bool is_copy_async = false;
    bool is_object = false;  // an mbarrier's operation, or a copy that arrives at one
    UseRange uses;
};

// All but the uses.
OpFacts facts_of(const Draft& draft, const Module& module, const Instruction& instruction);

}  // namespace kymo::gpu::ptx
