// What this machine, this user and this container let Kymo measure: facts, found by trying.
//
// probe() opens and closes a handful of counters on the calling thread, a few rings' worth of nothing, and reads
// /proc and /sys; about a millisecond. It has no other effect. It decides the mechanism: performance events where
// task-clock can be sampled in user mode, thread timers elsewhere.
#pragma once

#include "events/counter.h"
#include "events/session.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kymo::events {

struct Machine {
    int perf_error = 0;            // errno of sampling task-clock in user mode; 0: it works
    bool kernel_counting = false;  // counting events may include the kernel
    bool read_lost = false;        // PERF_FORMAT_LOST
    bool switch_records = false;   // per-processor, inherited dummy events with context_switch
    int switch_error = 0;
    int hardware_error = 0;  // errno of opening cycles; 0: there are hardware counters
    bool virtual_machine = false;
    bool seccomp = false;  // a filter is on this process
    bool container = false;
    bool root = false;  // effective user 0
    bool ebpf = false;
    int ebpf_error = 0;
    bool tracepoints = false;           // tracefs is readable
    std::optional<int> paranoid;        // kernel.perf_event_paranoid; none: a kernel without performance events
    std::uint64_t max_sample_rate = 0;  // kernel.perf_event_max_sample_rate; 0: not known
    std::uint64_t buffer_kib = 0;       // kernel.perf_event_mlock_kb, a processor and user
    std::uint64_t locked_bytes = 0;     // RLIMIT_MEMLOCK; UINT64_MAX: no limit
    std::uint64_t descriptors = 0;      // RLIMIT_NOFILE, soft
    std::uint64_t descriptors_hard = 0;
    // Signals of thread timers come on the return to the program and so interrupt no system call (Linux 5.9), and
    // every processor has the kernel's tick.
    bool timers_at_return = false;
    std::uint64_t timer_hz = 0;  // the most that thread timers deliver: CONFIG_HZ
    unsigned processors = 0;     // online

    [[nodiscard]] bool performance_events() const { return perf_error == 0; }
    [[nodiscard]] Mechanism mechanism() const {
        return performance_events() ? Mechanism::kPerfEvents : Mechanism::kThreadTimers;
    }
};

// `opener` replaces the kernel; `proc` /proc.
Machine probe(CounterOpener& opener, const std::filesystem::path& proc = "/proc");
Machine probe();

// Why something is not available, and the exact remedy.
struct Refusal {
    std::string why;
    std::string remedy;
};
Refusal why_no_performance_events(const Machine& machine);
Refusal why_no_kernel_counting(const Machine& machine);
Refusal why_no_hardware_counters(const Machine& machine);
Refusal why_no_switch_records(const Machine& machine);

// Dummy event whose records tell task changes and context switches of a thread and everything it starts, on one
// processor. events/ring.h's parse_trailer fits its records. `data_bytes`: of the ring it will have; the reader is
// woken when half of it is full. `fault_period`: instead of a dummy it counts page faults of user mode and has a
// sample of each so-many-th with its address (kFaultSampleWords); 0: none.
perf_event_attr switch_record_attributes(std::size_t data_bytes, std::uint64_t fault_period = 0);

// Words of such a sample: identifier, pid and tid, time, address, processor.
inline constexpr std::size_t kFaultSampleWords = 5;

}  // namespace kymo::events
