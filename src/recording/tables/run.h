// The run and its processes: what was run, where, how it ended, and what was not available. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

// Written by the parent: one a recording.
struct Run {
    std::uint64_t time = 0;
    std::string_view command = {};  // arguments, each ended by a NUL
    std::string_view host = {};
    RawText directory = {};
    std::string_view kernel = {};
    std::string_view producer = {};  // "kymo 0.1.0"
    std::uint64_t processors = 0;

    static constexpr const char* kTable = "run";
    static constexpr std::uint32_t kTableId = 10;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Run::time);
        visit("command", ColumnType::kBytes, "", &Run::command);
        visit("host", ColumnType::kText, "", &Run::host);
        visit("directory", ColumnType::kText, "", &Run::directory);
        visit("kernel", ColumnType::kText, "", &Run::kernel);
        visit("producer", ColumnType::kText, "", &Run::producer);
        visit("processors", ColumnType::kUint, "", &Run::processors);
    }
};

// Written by the parent when the program has ended. `wait_status` as from waitpid(2).
struct RunEnd {
    std::uint64_t time = 0;
    std::uint64_t wait_status = 0;
    std::uint64_t user_ns = 0;  // of all waited-for descendants (getrusage), for cross-checks
    std::uint64_t system_ns = 0;
    std::uint64_t reason =
        0;  // 0 the program ended, 1 interrupted, 2 --duration, 3 --max-size, 4 disk full, 5 imported, 6 attached
    std::uint64_t peak_bytes = 0;  // largest resident size of any of them; 0: not known

    static constexpr const char* kTable = "run-end";
    static constexpr std::uint32_t kTableId = 11;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &RunEnd::time);
        visit("wait_status", ColumnType::kUint, "", &RunEnd::wait_status);
        visit("user_ns", ColumnType::kUint, "ns", &RunEnd::user_ns);
        visit("system_ns", ColumnType::kUint, "ns", &RunEnd::system_ns);
        visit("reason", ColumnType::kUint, "", &RunEnd::reason);
        visit("peak_bytes", ColumnType::kUint, "", &RunEnd::peak_bytes);
    }
};

// One process image (a new one after exec). Written when its monitor starts.
// A process or a thread in a pid namespace has another number in the kernel's records than for itself.
// Rows have both; the kernel's is 0 if it is the same.
inline constexpr std::uint64_t kUnknownNumber = ~std::uint64_t{0};

// The number to use: the kernel's, if known.
constexpr std::uint64_t number_of(std::uint64_t own, std::uint64_t kernels) {
    return kernels == 0 || kernels == kUnknownNumber ? own : kernels;
}

struct Process {
    std::uint64_t time = 0;
    std::uint64_t pid = 0;
    std::uint64_t parent_pid = 0;
    std::string_view executable = {};
    std::string_view command = {};  // arguments, each ended by a NUL
    std::uint64_t mechanism = 0;    // Mechanism
    std::uint64_t kernel_pid = 0;   // the number in the kernel's records (number_of)
    std::uint64_t entry = 0;        // an address in its code

    static constexpr const char* kTable = "process";
    static constexpr std::uint32_t kTableId = 12;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Process::time);
        visit("pid", ColumnType::kUint, "", &Process::pid);
        visit("parent_pid", ColumnType::kUint, "", &Process::parent_pid);
        visit("executable", ColumnType::kText, "", &Process::executable);
        visit("command", ColumnType::kBytes, "", &Process::command);
        visit("mechanism", ColumnType::kUint, "", &Process::mechanism);
        visit("kernel_pid", ColumnType::kUint, "", &Process::kernel_pid);
        visit("entry", ColumnType::kUint, "address", &Process::entry);
    }
};

// A process image that ended before its first sample and had nothing else to record. Image and end are one
// row, which the process appends to the run's file of such processes. If an exec failed there is a row for it,
// too: for one pid and time the last one is valid.
struct ShortProcess {
    std::uint64_t time = 0;  // its monitor started
    std::uint64_t end = 0;
    std::uint64_t pid = 0;
    std::uint64_t parent_pid = 0;
    std::string_view executable = {};
    std::string_view command = {};               // arguments, each ended by a NUL; as many as fit
    std::uint64_t how = 0;                       // as ProcessEnd's
    std::span<const std::uint64_t> totals = {};  // every event of the file's event table, over the process's life
    std::uint64_t user_ns = 0;                   // getrusage(RUSAGE_SELF)
    std::uint64_t system_ns = 0;
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
    // Its waits by kind, three lists of one length.
    std::span<const std::uint64_t> wait_kinds = {};
    std::span<const std::uint64_t> wait_counts = {};
    std::span<const std::uint64_t> wait_durations = {};
    std::uint64_t kernel_pid = 0;  // as Process's

    static constexpr const char* kTable = "short-process";
    static constexpr std::uint32_t kTableId = 55;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ShortProcess::time);
        visit("end", ColumnType::kDelta, "ns", &ShortProcess::end);
        visit("pid", ColumnType::kUint, "", &ShortProcess::pid);
        visit("parent_pid", ColumnType::kUint, "", &ShortProcess::parent_pid);
        visit("executable", ColumnType::kText, "", &ShortProcess::executable);
        visit("command", ColumnType::kBytes, "", &ShortProcess::command);
        visit("how", ColumnType::kUint, "", &ShortProcess::how);
        visit("totals", ColumnType::kUintList, "", &ShortProcess::totals);
        visit("user_ns", ColumnType::kUint, "ns", &ShortProcess::user_ns);
        visit("system_ns", ColumnType::kUint, "ns", &ShortProcess::system_ns);
        visit("voluntary", ColumnType::kUint, "", &ShortProcess::voluntary);
        visit("involuntary", ColumnType::kUint, "", &ShortProcess::involuntary);
        visit("wait_kinds", ColumnType::kUintList, "", &ShortProcess::wait_kinds);
        visit("wait_counts", ColumnType::kUintList, "", &ShortProcess::wait_counts);
        visit("wait_durations", ColumnType::kUintList, "ns", &ShortProcess::wait_durations);
        visit("kernel_pid", ColumnType::kUint, "", &ShortProcess::kernel_pid);
    }
};

// The source of samples.
enum class Mechanism : std::uint8_t {
    kPerfEvents = 1,    // kernel performance events, one ring a thread
    kThreadTimers = 2,  // POSIX CPU-time timers; counters from getrusage(RUSAGE_THREAD)
    kImported = 3,      // another tool's recording: its samples also come in the kernel
    kOutside = 4,  // taken by the kernel for another process, with registers and a piece of stack; also in the kernel
};

// Written when the process ends in a way that its monitor sees. Absent after SIGKILL.
struct ProcessEnd {
    std::uint64_t time = 0;
    std::uint64_t how = 0;  // 0 exit, 1 _exit, 2 exec
    // The process's total of every event (index as in the event table), counted by the process itself or
    // by the kernel, not by adding up threads; empty if no such count exists.
    std::span<const std::uint64_t> totals = {};

    static constexpr const char* kTable = "process-end";
    static constexpr std::uint32_t kTableId = 13;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ProcessEnd::time);
        visit("how", ColumnType::kUint, "", &ProcessEnd::how);
        visit("totals", ColumnType::kUintList, "", &ProcessEnd::totals);
    }
};

}  // namespace kymo::recording
