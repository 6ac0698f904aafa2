// From a recording's rows to what each stream cost by call path: the first stage.
//
// Two passes over each file: the small tables first (a stream's description may lie behind its samples in
// the file), then contexts and samples. Samples are added up as they come, so memory is bounded by call
// paths and streams, not by samples. Files are not trusted: rows that refer to nothing are counted
// in FileData::strange_rows and otherwise dropped.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "spacetime/costs.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct EventInfo {
    std::string name;
    std::string unit;
    recording::EventMode mode = recording::EventMode::kCount;
    std::uint64_t value = 0;  // period or frequency
    bool user_only = false;
};

struct ImageInfo {
    std::string path;
    std::string build_id;
    std::uint16_t machine = 0;
    auto operator<=>(const ImageInfo&) const = default;
};

struct UnavailableInfo {
    std::string what;
    std::string why;
    std::string remedy;
    bool operator==(const UnavailableInfo&) const = default;
};

// Frame of a stream's own calling-context tree.
struct ContextInfo {
    std::uint32_t parent = 0;
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
};

// Numbers about the measuring itself; added up they are those of the process or the run.
struct Quality {
    std::uint64_t samples = 0;
    std::uint64_t ticks = 0;  // samples of task-clock
    std::array<std::uint64_t, recording::kPathEnds> paths{};
    std::uint64_t recovered = 0;  // call paths with a frame recovered without a rule
    std::uint64_t lost = 0;
    std::uint64_t throttled = 0;
    std::uint64_t merged = 0;
    std::uint64_t unwritten = 0;
    std::uint64_t monitor_ns = 0;
    std::uint64_t kernel_user_ns = 0;  // the kernel's own split
    std::uint64_t kernel_system_ns = 0;

    Quality& operator+=(const Quality& other);
    bool operator==(const Quality&) const = default;
};

struct StreamData {
    std::uint32_t id = 0;
    std::uint64_t tid = 0;
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;   // of the last thing known of it
    bool is_known = false;   // its description was found
    bool has_ended = false;  // its last word was found: totals are exact
    std::uint32_t creator_stream = 0;
    std::uint32_t creator_context = 0;
    std::uint64_t mechanism = 0;  // recording::Mechanism; 0: the process's

    std::vector<ContextInfo> contexts{1};  // index: ContextId
    std::vector<bool> is_complete{true};   // a complete call path goes through this context
    CostTable costs;                       // row: ContextId; row 0: no call path
    std::vector<std::int64_t> unsampled;   // columns of CostTable: from the last sample to the end
    std::int64_t paused_ns = 0;
    Quality quality;
};

// One file: at most one process, and what the parent wrote.
struct FileData {
    std::string name;
    bool is_closed = false;
    std::uint16_t machine = 0;

    bool has_process = false;
    std::uint64_t pid = 0;
    std::uint64_t parent_pid = 0;
    std::uint64_t begin = 0;
    std::string executable;
    std::vector<std::string> command;
    std::uint64_t mechanism = 0;
    bool has_ended = false;
    std::vector<std::uint64_t> totals;  // by event, as the process counted them; may be empty
    std::vector<EventInfo> events;
    std::vector<std::uint64_t> samples_by_event;
    std::vector<UnavailableInfo> unavailable;
    std::map<std::uint64_t, ImageInfo> images;
    std::map<std::uint32_t, StreamData> streams;
    std::uint64_t strange_rows = 0;
    std::vector<recording::TableRows> unknown_tables;
    std::uint64_t damaged_places = 0;
    std::uint64_t missing_bytes = 0;

    // What the parent wrote; one file of a recording has it.
    struct Run {
        std::uint64_t begin = 0;
        std::vector<std::string> command;
        std::string host;
        std::string directory;
        std::string kernel;
        std::string producer;
        std::uint64_t processors = 0;
    };
    struct RunEnd {
        std::uint64_t end = 0;
        std::uint64_t wait_status = 0;
        std::uint64_t reason = 0;
    };
    // A thread's life by the kernel's records; an exec ends one and begins another. Thread ids come back.
    struct TaskLife {
        std::uint64_t pid = 0;
        std::uint64_t tid = 0;
        std::uint64_t parent_pid = 0;
        std::uint64_t parent_tid = 0;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;  // 0: not seen
        std::string name = {};
        std::string executable = {};  // since the exec that began it; may be unknown
        std::string obstacle = {};    // why no monitor can be loaded into that
        std::uint64_t off_cpu_ns = 0;
        std::uint64_t run_queue_ns = 0;  // of that: runnable, but another had the processor
        std::uint64_t switches = 0;
        bool has_begun = false;  // its start was seen
        bool by_exec = false;    // and was an exec
        bool execs = false;      // its end was an exec
    };
    struct Rank {
        std::uint64_t rank = 0;
        std::uint64_t size = 0;  // 0: not known
        std::string host;
        bool operator==(const Rank&) const = default;
    };
    std::optional<Run> run;
    std::optional<RunEnd> run_end;
    std::vector<TaskLife> tasks;  // in the order of their first records
    std::optional<Rank> rank;
    std::uint64_t kernel_lost = 0;
    std::optional<recording::ClockPair> clock_pair;
    std::int64_t shift_ns = 0;  // what its times were moved by since they were loaded
};

// Error: the system cannot read the file. Whatever is in it is not an error.
Result<FileData> load_file(const recording::File& file);

}  // namespace kymo::spacetime
