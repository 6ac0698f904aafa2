// What the kernel reports of tasks: switches, forks, mappings; ranks, marks and clocks. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// A thread was off its processor from `time` for `duration`. Written by the parent from the kernel's
// switch records; duration 0 and `open` 1: still off when recording ended.
struct Switch {
    std::uint64_t time = 0;
    std::uint64_t tid = 0;
    std::uint64_t duration = 0;
    std::uint64_t processor_before = 0;
    std::uint64_t processor_after = 0;
    std::uint64_t preempted = 0;  // 1: was runnable when it left (run-queue wait, not sleep)
    std::uint64_t open = 0;

    static constexpr const char* kTable = "switch";
    static constexpr std::uint32_t kTableId = 23;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Switch::time);
        visit("tid", ColumnType::kUint, "", &Switch::tid);
        visit("duration", ColumnType::kUint, "ns", &Switch::duration);
        visit("processor_before", ColumnType::kUint, "", &Switch::processor_before);
        visit("processor_after", ColumnType::kUint, "", &Switch::processor_after);
        visit("preempted", ColumnType::kUint, "", &Switch::preempted);
        visit("open", ColumnType::kUint, "", &Switch::open);
    }
};

// A thread's absences that are no rows of their own any more, added up when old rows were condensed.
struct SwitchBrief {
    std::uint64_t tid = 0;
    std::uint64_t voluntary = 0;     // their number
    std::uint64_t involuntary = 0;   // likewise of those after which it was runnable (Switch::preempted)
    std::uint64_t voluntary_ns = 0;  // their durations
    std::uint64_t involuntary_ns = 0;
    std::uint64_t below = 0;  // ns: each was shorter

    static constexpr const char* kTable = "switch-brief";
    static constexpr std::uint32_t kTableId = 64;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("tid", ColumnType::kUint, "", &SwitchBrief::tid);
        visit("voluntary", ColumnType::kUint, "", &SwitchBrief::voluntary);
        visit("involuntary", ColumnType::kUint, "", &SwitchBrief::involuntary);
        visit("voluntary_ns", ColumnType::kUint, "ns", &SwitchBrief::voluntary_ns);
        visit("involuntary_ns", ColumnType::kUint, "ns", &SwitchBrief::involuntary_ns);
        visit("below", ColumnType::kUint, "ns", &SwitchBrief::below);
    }
};

enum class TaskChange : std::uint8_t { kFork = 1, kExec = 2, kRename = 3, kExit = 4 };

// A change in the process tree, from the kernel's task records.
struct Task {
    std::uint64_t time = 0;
    std::uint64_t change = 0;  // TaskChange
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t parent_pid = 0;
    std::uint64_t parent_tid = 0;
    std::string_view name = {};

    static constexpr const char* kTable = "task";
    static constexpr std::uint32_t kTableId = 24;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Task::time);
        visit("change", ColumnType::kUint, "", &Task::change);
        visit("pid", ColumnType::kUint, "", &Task::pid);
        visit("tid", ColumnType::kUint, "", &Task::tid);
        visit("parent_pid", ColumnType::kUint, "", &Task::parent_pid);
        visit("parent_tid", ColumnType::kUint, "", &Task::parent_tid);
        visit("name", ColumnType::kText, "", &Task::name);
    }
};

// The file that a process runs since its last exec, from the kernel's mapping records. Written by the parent.
struct ProgramFile {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::string_view path = {};
    std::string_view obstacle =
        {};                   // why no monitor can be loaded into it, in words; empty: nothing prevents the loading
    std::uint64_t begin = 0;  // where its code was mapped; 0: not known
    std::uint64_t end = 0;

    static constexpr const char* kTable = "program-file";
    static constexpr std::uint32_t kTableId = 40;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ProgramFile::time);
        visit("pid", ColumnType::kUint, "", &ProgramFile::pid);
        visit("path", ColumnType::kText, "", &ProgramFile::path);
        visit("obstacle", ColumnType::kText, "", &ProgramFile::obstacle);
        visit("begin", ColumnType::kUint, "address", &ProgramFile::begin);
        visit("end", ColumnType::kUint, "address", &ProgramFile::end);
    }
};

// A thread took memory from the system: an anonymous mapping, a larger heap, or changed rights of a part. From
// the kernel's mapping records, written by the parent.
struct Mapping {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t bytes = 0;    // of the whole area: the new part, and an adjacent one that is joined to it
    std::uint64_t address = 0;  // the area's begin

    static constexpr const char* kTable = "mapping";
    static constexpr std::uint32_t kTableId = 47;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Mapping::time);
        visit("pid", ColumnType::kUint, "", &Mapping::pid);
        visit("tid", ColumnType::kUint, "", &Mapping::tid);
        visit("bytes", ColumnType::kUint, "", &Mapping::bytes);
        visit("address", ColumnType::kUint, "address", &Mapping::address);
    }
};

// The place of this file's process in a parallel job (MPI). In the files of a rank's processes and of its parent.
struct Rank {
    std::uint64_t rank = 0;
    std::uint64_t size = 0;  // 0: not known
    std::string_view host = {};

    static constexpr const char* kTable = "rank";
    static constexpr std::uint32_t kTableId = 41;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("rank", ColumnType::kUint, "", &Rank::rank);
        visit("size", ColumnType::kUint, "", &Rank::size);
        visit("host", ColumnType::kText, "", &Rank::host);
    }
};

// Losses of the parent's per-processor buffers.
struct KernelLost {
    std::uint64_t time = 0;
    std::uint64_t records = 0;

    static constexpr const char* kTable = "kernel-lost";
    static constexpr std::uint32_t kTableId = 25;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &KernelLost::time);
        visit("records", ColumnType::kUint, "", &KernelLost::records);
    }
};

enum class MarkKind : std::uint8_t { kPoint = 0, kBegin = 1, kEnd = 2, kStart = 3, kStop = 4 };

// Set by the program through include/kymo/monitor.h. kStart and kStop: measurement switched on and off.
struct Mark {
    std::uint64_t time = 0;
    std::uint64_t kind = 0;  // MarkKind
    std::string_view name = {};
    std::int64_t value = 0;

    static constexpr const char* kTable = "mark";
    static constexpr std::uint32_t kTableId = 26;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Mark::time);
        visit("kind", ColumnType::kUint, "", &Mark::kind);
        visit("name", ColumnType::kText, "", &Mark::name);
        visit("value", ColumnType::kInt, "", &Mark::value);
    }
};

// One reading of both clocks: the monotonic one lay between `monotonic` and `monotonic + error` when the
// wall clock read `realtime`.
struct ClockPair {
    std::uint64_t monotonic = 0;
    std::uint64_t realtime = 0;
    std::uint64_t error = 0;

    static constexpr const char* kTable = "clock-pair";
    static constexpr std::uint32_t kTableId = 27;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("monotonic", ColumnType::kDelta, "ns", &ClockPair::monotonic);
        visit("realtime", ColumnType::kDelta, "ns", &ClockPair::realtime);
        visit("error", ColumnType::kUint, "ns", &ClockPair::error);
    }
};

}  // namespace kymo::recording
