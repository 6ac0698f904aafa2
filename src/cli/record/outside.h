// kymo record of programs that it measures from outside: those that run already, and those that no monitor can be
// loaded into.
#pragma once

#include "attach/outside_samples.h"
#include "base/result.h"
#include "launch/record_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kymo::cli {

struct OutsideOptions {
    std::vector<pid_t> processes;
    std::string named;
    std::string cgroup;
    bool machine = false;
    bool from_outside = false;
    std::uint32_t stack_bytes = 0;  // 0: as many as call paths need

    void add_to(CLI::App& app);
    // They name what runs already.
    bool is_attaching() const { return !processes.empty() || !named.empty() || !cgroup.empty() || machine; }
    // With the events of `requests`. `frequency`: 0: the default.
    Result<attach::SampleSettings> samples(std::uint64_t frequency, const std::vector<std::string>& requests) const;
};

// What attaching takes of the verb's other options.
struct AttachCommon {
    double duration = 0;          // s; 0: none
    std::uint64_t frequency = 0;  // 0: the default
    std::vector<std::string> events;
    std::optional<std::string> output;
    bool quiet = false;
    bool then_report = false;
};

// The exit code.
int attach_to(const OutsideOptions& options, const AttachCommon& common, const CLI::App& app);

// None: the monitor measures the program. `says`: whether a line says why it does not. `looks_again`: --for is given.
Result<std::unique_ptr<attach::OutsideSamples>> samples_from_outside(const OutsideOptions& options,
                                                                     const launch::RecordOptions& run,
                                                                     std::uint64_t frequency, bool looks_again,
                                                                     bool says);

}  // namespace kymo::cli
