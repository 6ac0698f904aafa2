// A CUDA program run without a GPU: under our own CUDA runtime, which executes its kernels and predicts their time
// (gpu/cudart/job.h).
#pragma once

#include "base/result.h"
#include "gpu/cudart/job.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kymo::cli {

struct ProgramRun {
    int exit_status = 0;                        // as a shell reports it
    std::vector<nlohmann::ordered_json> lines;  // the output of its processes, in order
    std::vector<std::string> left;              // launches during which a process was ended, in words
};

// Starts the program, stays its parent, passes signals on, and returns at its end. Errors, before it is started:
// not found, not runnable, CUDA's runtime linked into it, no PTX in it.
Result<ProgramRun> run_gpu_program(const gpu::cudart::JobOptions& options, const std::vector<std::string>& command);

// Words for a launch of which at most this share of the instructions waited; two lines.
std::string waiting_words(double share);

// The costs of the program's launches, for the terminal and as the JSON of `kymo gpu run`.
class ProgramReport {
  public:
    explicit ProgramReport(const ProgramRun& run);

    std::string text() const;
    nlohmann::ordered_json json() const;
    // Prints the problems to stderr; the exit code: the program's, or if that is 0 that of the first problem.
    int tell_problems(const std::string& program) const;

  private:
    const ProgramRun& run_;
    std::vector<const nlohmann::ordered_json*> kernels_;
    nlohmann::ordered_json findings_ = nlohmann::ordered_json::array();
    double total_us_ = 0;
};

}  // namespace kymo::cli
