// From a recording's rows to what each stream cost by call path, its states and its waits: the first stage.
//
// Two passes over each file: first everything but samples (a stream's description may lie behind its samples in
// the file; switch records lie in the parent's), then the samples. These are added up as they come, so memory is
// bounded by call paths, waits, switches and kept states, not by samples. Files are not trusted: rows that refer to
// nothing are counted in FileData::strange_rows and otherwise dropped.
//
// Time of a sample's interval stands with the sample's call path, but what lies inside a waiting call and is not
// time of the program itself (off the processor, in the kernel) stands with that call's own path.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "spacetime/load/costs.h"
#include "spacetime/load/created_with.h"
#include "spacetime/load/images.h"
#include "spacetime/load/late_ticks.h"
#include "spacetime/load/sample_time.h"
#include "spacetime/load/system_place.h"
#include "spacetime/load/thread_states.h"
#include "spacetime/load/waits.h"
#include "team/members.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace kymo::recording {
KYMO_MEMBERS(TableRows, name, rows)
}  // namespace kymo::recording

namespace kymo::spacetime {

struct UnavailableInfo {
    std::string what;
    std::string why;
    std::string remedy;
    bool operator==(const UnavailableInfo&) const = default;
};
KYMO_MEMBERS(UnavailableInfo, what, why, remedy)

// Frame of a stream's own calling-context tree.
struct ContextInfo {
    std::uint32_t parent = 0;
    std::uint64_t image = 0;
    std::uint64_t offset = 0;
};

// Numbers about the measuring itself; added up they are those of the process or the run.
struct Quality {
    std::uint64_t samples = 0;
    std::uint64_t ticks = 0;    // samples of task-clock, without those in the kernel
    std::uint64_t at_tick = 0;  // of them, those taken at the kernel's tick
    std::array<std::uint64_t, recording::kPathEnds> paths{};
    std::uint64_t recovered = 0;  // call paths with a frame recovered without a rule
    std::uint64_t folded = 0;     // that leave out rounds of recursion
    std::uint64_t lost = 0;
    std::uint64_t throttled = 0;
    std::uint64_t merged = 0;
    std::uint64_t unwritten = 0;
    std::uint64_t condensed = 0;     // samples that were taken and made one with one of `samples`, to save space
    std::uint64_t coarse_until = 0;  // the latest of those, ns; 0: none
    std::uint64_t monitor_ns = 0;
    std::uint64_t kernel_user_ns = 0;  // the kernel's own split
    std::uint64_t kernel_system_ns = 0;

    Quality& operator+=(const Quality& other);
    bool operator==(const Quality&) const = default;
};

// How fast a thread's processors were: ticks that the same arithmetic took at its samples. None: not measured.
struct Pace {
    std::uint64_t count = 0;
    std::uint64_t ticks = 0;
    bool operator==(const Pace&) const = default;
};

// How often a thread left its processor: by itself, or because another got it.
struct SwitchCounts {
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
    SwitchCounts& operator+=(const SwitchCounts& other) {
        voluntary += other.voluntary;
        involuntary += other.involuntary;
        return *this;
    }
    bool operator==(const SwitchCounts&) const = default;
};

// A piece of the time behind a stream's last sample whose state or place follows from those of other threads
// (tails.h).
struct TailPiece {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t context = kNone;  // as ThreadWait's; kNone: not known
    bool operator==(const TailPiece&) const = default;
};

struct StreamData {
    std::uint32_t id = 0;
    std::uint64_t tid = 0;      // as the kernel's records have it
    std::uint64_t own_tid = 0;  // as its process has it, and the locks' owners: another one in a pid namespace
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;   // of the last thing known of it
    bool is_known = false;   // its description was found
    bool has_ended = false;  // its last word was found: totals are exact
    std::uint32_t creator_stream = 0;
    std::uint32_t creator_context = 0;
    std::optional<CreatedWith> created_with;
    std::uint64_t mechanism = 0;                  // recording::Mechanism; 0: the process's
    std::uint64_t first_period = 0;               // Stream::first_period_ns
    std::uint64_t tick = 0;                       // Stream::tick_ns
    std::uint64_t end_time = 0;                   // of its last word
    std::vector<std::uint64_t> totals;            // of every event, in its last word
    std::optional<SwitchCounts> kernel_switches;  // by getrusage, where that was asked
    Pace pace;
    std::optional<std::uint64_t> run_delay_ns;  // ready and without a processor, by schedstat, where that was asked

    std::vector<OffInterval> offs;                          // by the switch records, filled in between the passes
    std::vector<TakenTime> taken;                           // late_ticks.h
    std::vector<ThreadWait> waits;                          // in the order of their ends
    std::vector<KernelLook> looks;                          // system_place.h; laid in time by the second pass
    std::map<recording::WaitKind, WaitAmount> brief_waits;  // those too short to be rows
    ThreadStates states;

    std::vector<ContextInfo> contexts{1};  // index: ContextId
    // Contexts that are no frames: the node of another stream that they stand for, as (stream, ContextId).
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> joins;
    std::set<std::uint32_t> outer_dropped;  // contexts whose outer frames there was no room for
    std::vector<bool> own_contexts;         // by ContextId: the monitor's own code; empty: none is
    std::vector<bool> is_complete{true};    // a complete call path goes through this context
    CostTable costs;                        // row: ContextId; row 0: no call path
    // What was spent in calls that are not known, by ContextId of their caller, ns.
    struct UnknownCalls {
        std::int64_t system = 0;
        std::int64_t off = 0;
    };
    std::map<std::uint32_t, UnknownCalls> unknown_calls;
    std::vector<std::int64_t> unsampled;  // columns of CostTable: from the last sample to the end
    std::vector<TailPiece> tail;          // what of that time is placed elsewhere, in time
    OwnWorkSums own_at_end;               // the monitor's work in it
    std::vector<std::int64_t> own_work;   // columns of CostTable: the monitor's, in no other; all its time as user
    std::int64_t paused_ns = 0;
    Quality quality;
};
KYMO_MEMBERS(StreamData, id, tid, own_tid, name, begin, end, is_known, has_ended, creator_stream, creator_context,
             created_with, mechanism, first_period, tick, end_time, totals, kernel_switches, pace, run_delay_ns, offs,
             taken, waits, looks, brief_waits, states, contexts, joins, outer_dropped, own_contexts, is_complete,
             costs, unknown_calls, unsampled, tail, own_at_end, own_work, paused_ns, quality)

// One file: at most one process, and what the parent wrote.
struct FileData {
    std::string name;
    bool has_writer = false;  // it was still being written
    std::uint16_t machine = 0;

    bool has_process = false;
    bool is_short = false;      // a row in a file of several (short_processes.h), and no file of the recording
    std::uint64_t pid = 0;      // as the kernel's records have it
    std::uint64_t own_pid = 0;  // as the process has it
    std::uint64_t entry = 0;    // an address in its code; 0: not known
    bool is_pid_known = true;   // otherwise pid is only the process's own: it is in a namespace that hides the other
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
    Waits waits;  // the streams' waits, grouped
    bool has_registers = false;
    bool has_operands = false;
    bool has_accesses = false;
    std::uint64_t strange_rows = 0;
    std::vector<recording::TableRows> unknown_tables;
    std::uint64_t damaged_places = 0;
    std::uint64_t missing_bytes = 0;
    std::uint64_t excerpt_of = 0;  // samples in the file, where only an excerpt of it is read; else 0
    // Samples are missing: what the totals have beyond those that are there may have been anywhere and anything.
    bool is_part() const { return is_damaged() || excerpt_of != 0; }
    bool is_damaged() const { return damaged_places != 0 || missing_bytes != 0; }

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
        std::uint64_t peak_bytes = 0;  // 0: not known
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
        std::string executable = {};   // since the exec that began it; may be unknown
        std::string obstacle = {};     // why no monitor can be loaded into that
        std::uint64_t code_begin = 0;  // where that was mapped
        std::uint64_t code_end = 0;
        std::vector<OffInterval> offs = {};
        SwitchCounts switches = {};
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
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> mappings;  // by (pid, tid): memory taken
    std::uint64_t kernel_lost = 0;
    std::uint64_t condensed_switches = 0;  // absences without rows, to save space
    bool is_of_hosts = false;              // a recording of hosts, without any code
    std::uint64_t last_metric = 0;         // time of the last value of a metric
    std::optional<recording::ClockPair> clock_pair;
    std::int64_t shift_ns = 0;  // what its times were moved by since they were loaded

    std::vector<FileData> short_processes;  // that share it; load_files() moves them behind all files

    // The stream of that number, made where it is new. nullptr (and a strange row): no number of a stream.
    StreamData* stream(std::uint64_t id);
};
KYMO_MEMBERS(FileData::Run, begin, command, host, directory, kernel, producer, processors)
KYMO_MEMBERS(FileData::TaskLife, pid, tid, parent_pid, parent_tid, begin, end, name, executable, obstacle, code_begin,
             code_end, offs, switches, has_begun, by_exec, execs)
KYMO_MEMBERS(FileData::Rank, rank, size, host)
KYMO_MEMBERS(FileData, name, has_writer, machine, has_process, is_short, pid, own_pid, entry, is_pid_known,
             parent_pid, begin, executable, command, mechanism, has_ended, totals, events, samples_by_event,
             unavailable, images, streams, waits, has_registers, has_operands, has_accesses, strange_rows,
             unknown_tables, damaged_places, missing_bytes, excerpt_of, run, run_end, tasks, rank, mappings,
             kernel_lost, condensed_switches, is_of_hosts, last_metric, clock_pair, shift_ns, short_processes)

// For the samples of one of its streams.
EventRoles roles_of(const FileData& file, const StreamData& stream);

// ---- the stages of it ----

// First pass: everything but samples.
Result<FileData> read_descriptions(const recording::File& file);
// Gives the streams of monitored threads their switch records.
void hand_out_switches(std::span<FileData* const> files);
// Second pass: costs, states, and what holders of locks did meanwhile. `most_states`: as LoadOptions.
Result<void> read_samples(const recording::File& file, FileData& data, std::size_t most_states);
// The same of streams that are known to have no samples.
void finish_without_samples(FileData& data);

}  // namespace kymo::spacetime
