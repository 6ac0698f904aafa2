// Recordings of any size that look like measured ones: threads that sample their call paths at 1 kHz, with four
// counter deltas a sample. The same options give the same rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace kymo::bench {

struct Workload {
    std::uint64_t samples = 1'000'000;  // of all threads together
    std::uint32_t threads = 4;
    std::uint32_t contexts = 2'000;  // nodes of each thread's calling-context tree
    std::uint32_t seed = 1;
    std::uint32_t dwell = 1;  // samples in a row at one node, on average
    bool same_code = false;   // all threads have one and the same tree
};

// What one thread's sampling gives, sample by sample: time and deltas move as a computing thread's do.
class SampledThread {
  public:
    SampledThread(std::uint32_t thread, const Workload& workload);

    struct Sampled {
        std::uint64_t time;
        std::uint64_t processor;
        std::uint64_t context;
        std::uint64_t
            deltas[4];  // task-clock, page-faults, context-switches, instructions (a software count of them)
    };
    Sampled next();
    // Parent of node `context` (from 1): a tree about 30 deep. 0: outermost.
    std::uint64_t parent(std::uint64_t context) const { return parents_[context]; }

  private:
    std::minstd_rand random_;
    std::uint64_t time_;
    std::uint64_t processor_;
    std::uint32_t dwell_;
    std::uint64_t context_ = 1;
    std::vector<std::uint64_t> parents_;
};

// Makes `folder` with launch.krec and one process's file, packed as `kymo record` leaves it. Throws
// std::runtime_error with the reason where that fails.
void generate_recording(const std::filesystem::path& folder, const Workload& workload);

}  // namespace kymo::bench
