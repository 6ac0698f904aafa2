// The parameters of a recording.
#pragma once

#include "events/plan.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::launch {

class RunParticipant;

// The registers that samples are recorded with.
enum class Registers : std::uint8_t {
    kNone,
    kSome,  // those of some samples, for the operands of their instructions
    kAll,   // those of all samples as well
};

struct RecordOptions {
    std::vector<std::string> command;  // program and arguments
    std::vector<std::string> events;   // as for -e (events/request.h)
    std::optional<std::filesystem::path> output;
    std::optional<std::filesystem::path> stage;    // files are written below it and moved at the end; none: in place
    std::optional<std::filesystem::path> monitor;  // none: found (monitor_library.h)
    std::uint64_t duration_ns = 0;                 // end the program after this long; 0: never
    std::uint64_t grace_ns = 5'000'000'000;        // from SIGTERM to SIGKILL then
    std::uint64_t max_bytes = 0;                   // of each process's file; 0: the writer's own limit
    bool follow = true;                            // descendants too
    Registers registers = Registers::kSome;
    // Participants beside the launcher's own (run/participant.h), in this order; alive until record() returns.
    std::vector<RunParticipant*> participants;
    // The program is measured from outside instead: nothing is preloaded into it or its children, so that every
    // program can be measured.
    bool from_outside = false;
    // A participant writes the kernel's records of tasks and switches itself.
    bool has_kernel_records = false;
    // True for hunts, plans of hooks and second looks: no process is reduced to one line because it was short.
    bool is_about_every_process = false;
    int signal = 0;  // the sampling signal; 0: SIGURG, or SIGPROF for Go programs
    // The folder of metric cells, made by the caller; empty: none.
    std::filesystem::path cells;
    // The library that counts messages (src/mpi), preloaded into ranks of jobs that the program starts; empty: none.
    std::filesystem::path channels;
    bool program_has_channels = false;     // into the program itself, too
    std::vector<events::Missing> missing;  // what the caller cannot measure, for the recording
};

}  // namespace kymo::launch
