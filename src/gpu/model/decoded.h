// A static instruction prepared for the full model's inner loop: one cache line, with all properties looked up.
#pragma once

#include "gpu/gpu_file.h"
#include "gpu/model/scoreboard.h"
#include "gpu/trace/kernel.h"

namespace kymo::gpu {

// A scheduler's own pipes. Classes that share hardware share one.
enum Pipe : std::uint8_t {
    kPipeAlu,
    kPipeFma,
    kPipeHalf,
    kPipeDouble,
    kPipeSpecial,
    kPipeTensor,
    kPipeUniform,
    kPipeMemory,
    kPipeFree
};
inline constexpr unsigned kPipes = 9;  // kPipeFree: never busy (branches, control)

struct Decoded {
    Op op;
    Pipe pipe = kPipeFree;
    std::uint16_t interval = 1;
    std::uint16_t latency = 1;
    std::uint8_t sources = 0;
    std::uint8_t destinations = 0;
    std::uint8_t flops = 0;  // a lane's
    // Of IssueControl: 0 without one; entries of the scoreboard, 0 none.
    std::uint8_t stall = 0;
    std::uint8_t write_barrier = 0;
    std::uint8_t read_barrier = 0;
    std::array<std::uint16_t, 2 * Registers::kMost + 2> source{};
    std::array<std::uint16_t, 2 * Registers::kMost + 2> destination{};
};

Decoded decode(const Gpu& gpu, const StaticInstruction& instruction);

}  // namespace kymo::gpu
