// What may be watched while a kernel executes, and what it then has done.
//
// initialised: a register, or a byte of shared, local or cudaMalloc'ed memory, is read that nothing has written.
// races: two threads touch the same memory, one of them writes, and no barrier lies between.
// barriers: bar.sync is reached by a part of a warp, or an operation that names lanes is executed without some of
// them.
//
// Contract: plain data. What is not watched costs nothing.
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

// A line's mistake, or that of a pair of lines, however often it was made.
struct Defect {
    enum class Kind : std::uint8_t { kRegister, kMemory, kRace, kBarrier };
    Kind kind = Kind::kRegister;
    std::string what;         // the first time: place, instruction, memory, CTA and thread
    std::uint64_t times = 0;  // by how many threads in all
};
Error error_of(const Defect& defect);  // kMalformed, with what to do

}  // namespace kymo::gpu::ptx
