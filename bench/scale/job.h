// The recording of a parallel job of any size, as its ranks' recorders leave it: of each rank a file of its process
// and one of its parent. The program computes, exchanges, and waits in MPI_Allreduce until the slowest rank arrives.
// So what each rank and each function took is known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace kymo::bench {

inline constexpr std::uint32_t kMostPlaces = 32;

struct Job {
    std::uint32_t ranks = 1'000;
    bool has_ranks = true;                // otherwise processes of one run, which end one after the other
    std::uint64_t samples = 200'000'000;  // of all together, about
    std::uint32_t slow_rank = 617;        // works half as long again as the others
    std::uint64_t seed = 1;
    std::uint32_t places =
        4;  // from which the computation is called, one a step: each has call paths of its own (194)
    bool has_bundles = false;  // many files in one, as the recorders of a large job leave them
};

struct JobTruth {
    std::uint64_t samples = 0;
    std::uint64_t steps = 0;
    std::map<std::string, std::uint64_t> functions;  // ns on a processor, in the function itself
};

// Makes `folder`. Several files at once, on all processors. Throws std::runtime_error with the reason where that
// fails, also where the file system has less room than the job needs.
JobTruth generate_job(const std::filesystem::path& folder, const Job& job);

}  // namespace kymo::bench
