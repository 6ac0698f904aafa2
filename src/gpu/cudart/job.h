// The settings that the parent process passes for the program's launches, and the lines that report them back.
//
// `kymo gpu run -- PROGRAM` makes a folder, writes `job.json` into it and names the folder in KYMO_GPU_JOB. Every
// process of the program appends lines of JSON to its own file `launches-PID.jsonl` there:
//   {"kernel": …, "findings": […], "recording": …}   a launch, as kymo gpu run --json prints it
//   {"trace": …}                                     a launch whose trace was written
//   {"problem": {"what", "next", "kind"}}            what could not be done
// Without KYMO_GPU_JOB the program still runs, on the GPU that KYMO_GPU names, and problems go to stderr.
//
// Contract: one thread at a time.
#pragma once

#include "base/result.h"
#include "gpu/gpu_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace kymo::gpu::cudart {

struct JobOptions {
    std::string gpu = "a100-pcie";
    std::vector<std::string> settings;
    bool profiled = false;
    bool exact = false;
    std::uint64_t period = 0;         // cycles between samples of a warp, for recordings
    std::filesystem::path recording;  // empty: none
    std::filesystem::path traces;     // folder for traces instead of times; empty: times
    bool text_traces = false;
    bool values = false;        // traces with the operands' values
    bool machine_code = false;  // the schedule of the program's machine code, or of what ptxas makes of its PTX
    std::string checks;         // as --check has them
};

class Job {
  public:
    // From the environment. Errors: a job that cannot be read, an unknown GPU.
    static Result<Job> from_environment();

    const JobOptions& options() const { return options_; }
    bool has_parent() const { return !folder_.empty(); }
    const std::filesystem::path& folder() const { return folder_; }
    // Appends a line for the parent; does nothing without a parent.
    void tell(const nlohmann::ordered_json& line);
    // Reported once, however often it happens.
    void problem(const Error& error);
    // For what changes how launches are modelled but not what the program does: printed to stderr, once.
    void remark(const Error& error);

  private:
    JobOptions options_;
    std::filesystem::path folder_;
    std::set<std::string> said_;
};

nlohmann::ordered_json to_json(const JobOptions& options);
Result<JobOptions> job_options(const std::string& json);

}  // namespace kymo::gpu::cudart
