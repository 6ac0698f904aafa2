// The code of the job's program: it never runs. Its addresses stand in the generated call paths, so that names,
// lines, loops and calls are looked up in a real file, which is the generator itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kymo::bench {

inline constexpr std::size_t kKernels = 24;       // functions of the computation
inline constexpr std::size_t kAddressesEach = 8;  // sampled addresses of one
inline constexpr std::uint64_t kAddressStep = 4;  // bytes between two of them

// Addresses in this process.
struct ProgramCode {
    std::uint64_t main = 0;
    std::uint64_t advance = 0;
    std::uint64_t solve = 0;
    std::uint64_t exchange = 0;
    std::uint64_t reduce = 0;
    std::uint64_t waitall = 0;    // MPI_Waitall
    std::uint64_t allreduce = 0;  // MPI_Allreduce
    std::array<std::uint64_t, kKernels> kernels{};
};

ProgramCode program_code();

}  // namespace kymo::bench
