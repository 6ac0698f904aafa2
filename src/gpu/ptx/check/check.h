// The checks that can run while a kernel executes, and the defects that they find.
//
// initialised: a read of a register, or of a byte of shared, local or cudaMalloc'ed memory, that was never written.
// races: two threads touch the same memory, one of them writes, and no barrier is between.
// barriers: only part of a warp reaches bar.sync, or an operation that names lanes executes without some of them.
//
// Contract: plain data. A check that is off costs nothing.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>

namespace kymo::gpu::ptx {

struct Checks {
    bool initialised = false;
    bool races = false;
    bool barriers = false;
    bool any() const { return initialised || races || barriers; }
};

// From "initialised,races,barriers". Errors: kUsage.
Result<Checks> checks_from(std::string_view words);

// A defect at a line, or at a pair of lines, however often it occurred.
struct Defect {
    enum class Kind : std::uint8_t { kRegister, kMemory, kRace, kBarrier };
    Kind kind = Kind::kRegister;
    std::string what;         // the first time: place, instruction, memory, CTA and thread
    std::uint64_t times = 0;  // by how many threads in all
};
Error error_of(const Defect& defect);  // kMalformed, with what to do

}  // namespace kymo::gpu::ptx
