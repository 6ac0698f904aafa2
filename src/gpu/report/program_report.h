// The costs of a program's launches, combined: for the terminal, and as the JSON of `kymo gpu run`.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kymo::gpu {

struct ProgramRun {
    int exit_status = 0;                        // as a shell reports it
    std::vector<nlohmann::ordered_json> lines;  // the output of its processes, in order
    std::vector<std::string> left;              // launches during which a process was ended, in words
};

// Words for a launch of which at most this share of the instructions waited; two lines.
std::string waiting_words(double share);

// A launch's recording that the run has written.
struct RecordedLaunch {
    std::uint64_t samples = 0;
    std::string kernel;
    std::string folder;
};

// Cost: linear in the run's lines. The run outlives it.
class ProgramReport {
  public:
    explicit ProgramReport(const ProgramRun& run);

    // Kernels by time, then findings; empty if no kernel was modelled.
    std::string text() const;
    std::vector<RecordedLaunch> recorded() const;
    nlohmann::ordered_json json() const;
    // What could not be done, in order; `program`: its name.
    std::vector<Error> problems(const std::string& program) const;

  private:
    const ProgramRun& run_;
    std::vector<const nlohmann::ordered_json*> kernels_;
    nlohmann::ordered_json findings_ = nlohmann::ordered_json::array();
    double total_us_ = 0;
};

}  // namespace kymo::gpu
