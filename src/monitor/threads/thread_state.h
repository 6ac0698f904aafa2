// The monitor's state for one thread.
//
// It is in pages of its own, never in the program's allocator, and is reused for later threads. `busy` means that
// the thread is inside the monitor: its handler then returns at once, and the sample stays in the ring for the
// next one. While a thread lives, everything but the atomics is accessed by that thread only (its handler, or
// itself under Quiet); at process end, the thread that ends the process reads the counters of the others.
#pragma once

#include "base/ids.h"
#include "hooks/guest/thread.h"
#include "monitor/channels/table.h"
#include "monitor/interpose/programs_mask.h"
#include "monitor/metrics/metric_values.h"
#include "monitor/openmp/team_state.h"
#include "monitor/sampling/context_tree.h"
#include "monitor/sampling/counters.h"
#include "monitor/sampling/debt.h"
#include "monitor/sampling/own_stack.h"
#include "monitor/sampling/own_switches.h"
#include "monitor/sampling/usage.h"
#include "monitor/speed_up/delays.h"
#include "monitor/waits/state.h"
#include "recording/tables.h"
#include "recording/tables/operand_turns.h"
#include "recording/writer.h"
#include "unwind/walk.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace kymo::monitor {

// Where a thread's stack lies. high 0: not known.
struct StackBounds {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool holds(std::uint64_t address) const { return address - low < high - low; }
};

// Where a thread was started, and in what state the creating thread was: its creation context.
struct CreationContext {
    StreamId creator{0};
    ContextId context{0};  // in the creator's tree
    std::uint64_t blocked_signals = 0;
    unwind::Registers registers{};  // in the monitor
    unwind::Registers caller{};     // of the function that called it: what calls preserve
    unwind::FloatRegisters float_registers{};
    std::uint64_t paid = 0;  // by the creator, of a virtual speed-up's delays
    bool known = false;
    bool knows_caller = false;
};

// The last sample of a further event that a second look (second_look.h) has left out since the thread's last row.
struct LeftOutSample {
    bool known = false;
    Overflow overflow;  // `values` are those below
    CounterValues values;
    MetricValues metrics;
    ContextId context{0};
    std::uint64_t flags = 0;
};

struct ThreadState {
    ThreadState() : own_stack_top(reinterpret_cast<std::uint64_t>(own_stack) + kOwnStackBytes) {}

    // First: the signal's entry reads them (signal_entry.h).
    const std::uint64_t own_stack_top;
    std::atomic<std::uint32_t> busy{0};

    // From the creating thread to the new one.
    void* (*start)(void*) = nullptr;
    void* argument = nullptr;
    std::size_t stack_bytes = 0;  // 0: not known
    bool inherits_block = false;  // its creator has really blocked the sampling signal

    // The stream.
    StreamId stream{0};
    int tid = 0;
    std::uint64_t kernel_tid = 0;  // as rows have it (process/kernel_numbers.h)
    std::uint64_t begin_time = 0;
    CreationContext creation;
    bool announced = false;  // its `stream` row is written

    // Measuring.
    Beginning beginning;  // of its counters
    Counters counters;
    OwnSwitches switches;   // if the session requests them
    int hunt_counter = -1;  // of a hunt by the kernel's engine (hunt/hunt.h)
    CounterValues last;     // at the last sample
    MetricValues last_metrics;
    recording::OperandTurns operand_turns;
    std::uint64_t metrics_counted[kMaxSampledMetrics] = {};  // in all samples
    const std::uint64_t* metric_cells = nullptr;             // null: it has none so far
    StackBounds stack;
    StackBounds alternate;  // in the handler: the alternate signal stack, as the kernel had it; high 0: it has none
    ContextTree tree;
    recording::StreamWriter writer;
    ProgramsMask programs_mask;

    bool muted = false;             // not sampled: a signal from another sender is pending, really blocked
    bool dispatches_calls = false;  // nor is it then: its system calls are dispatched to itself (call_dispatch.h)

    LeftOutSample left_out;

    Delays::Account delays;          // of a virtual speed-up (speed_up/speed_up.h)
    std::uint64_t delays_clock = 0;  // the thread's clock at its last sample there

    // Account, for the stream's end.
    std::uint64_t left_out_samples = 0;
    std::uint64_t samples = 0;
    std::uint64_t paces = 0;       // measured
    std::uint64_t pace_ticks = 0;  // added up
    std::uint64_t merged = 0;
    std::uint64_t monitor_ns = 0;
    std::uint64_t taken_ns = 0;          // from the program, including the kernel's time for a sample
                                         // (handler.cpp)
    std::uint64_t own_work_begin = 0;    // the monitor's last work in this thread
    std::uint64_t own_work_end = 0;      // all ones: in progress
    std::uint64_t own_work_ns = 0;       // of the monitor's work here, in all
    std::uint64_t own_work_written = 0;  // of these, in samples
    std::uint64_t own_system_ns = 0;     // of that work, in the kernel as far as that is measured
    std::uint32_t own_works = 0;
    std::uint64_t own_calls_written = 0;  // of waits.all, in samples
    Debt debt;
    std::uint64_t paths[recording::kPathEnds] = {};
    std::uint64_t switches_at_end = 0;    // since its beginning; known at its end
    std::uint64_t processor_changes = 0;  // from sample to sample
    std::uint64_t last_processor = 0;     // and one; 0: no sample yet
    UsageSoFar before;                    // what it had used before counting began here
    std::uint64_t pauses_seen = 0;        // how many times measurement had been resumed at the last sample
    std::uint64_t unwritten_seen = 0;     // rows that were not written by then (StreamWriter::unwritten())

    unsigned destructor_rounds = 0;

    hooks::Thread hooks;
    std::uint64_t calls_told = 0;  // when rows of its hooks' calls were last written (metrics/exact_calls.h)

    WaitState waits;
    ChannelTable channels;
    TeamState team;
    // OpenMP, by the tools interface: regions that this thread has opened and not left, outermost first; tasks that
    // wait while it executes another.
    static constexpr unsigned kOpenRegions = 16;
    static constexpr unsigned kSuspended = 16;
    unsigned open_regions = 0;
    unsigned suspended_count = 0;
    alignas(Region) std::uint8_t regions[kOpenRegions][sizeof(Region)];  // not touched before they are needed
    alignas(SuspendedTask) std::uint8_t suspended[kSuspended][sizeof(SuspendedTask)];

    // Lists of the thread registry, under its lock.
    ThreadState* next = nullptr;
    ThreadState* previous = nullptr;

    // Space for a path and for a copied stack, and the stack for that work. Bytes that no constructor touches: the
    // pages of most threads are never needed.
    std::span<unwind::Frame> frames() { return {reinterpret_cast<unwind::Frame*>(frame_space), kMostFrames}; }
    static constexpr std::size_t kMostFrames = ContextTree::kMaxDepth + 1;
    alignas(unwind::Frame) std::uint8_t frame_space[kMostFrames * sizeof(unwind::Frame)];
    std::uint8_t copied_stack[64 * 1024];
    alignas(64) std::uint8_t own_stack[kOwnStackBytes];
};

}  // namespace kymo::monitor
