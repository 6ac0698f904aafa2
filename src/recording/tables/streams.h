// Streams: the threads of a process (or the warp slots of a GPU), and the end of each. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

enum class StreamKind : std::uint8_t { kThread = 0, kWarpSlot = 1 };

inline constexpr std::uint64_t kLeastFirstPeriodNs = 60'000;

struct Stream {
    std::uint64_t time = 0;
    std::uint64_t stream = 0;  // StreamId
    std::uint64_t kind = 0;    // StreamKind
    std::uint64_t tid = 0;
    // The creation context: creator, its call path and state. creator 0: unknown or the process's first thread.
    std::uint64_t creator_stream = 0;
    std::uint64_t creator_context = 0;  // node of the creator's calling-context tree
    std::uint64_t stack_pointer = 0;
    std::uint64_t blocked_signals = 0;  // bit n−1: signal n
    // General registers in DWARF order, then the program counter: inside the monitor, which was called instead.
    std::span<const std::uint64_t> registers = {};
    std::string_view float_registers = {};  // x86-64: MXCSR (4), x87 control word (4), XMM0–15 (16 × 16); aarch64:
                                            // FPSR (4), FPCR (4), V0–31 (32 × 16)
    std::uint64_t mechanism = 0;            // Mechanism: one thread may be measured in another way than the process
    std::uint64_t kernel_tid = 0;           // the number in the kernel's records (number_of)
    // Until the sampling clock's first sample, drawn at random from a period; the sample weighs a whole period.
    // kLeastFirstPeriodNs: the drawn time was that or any shorter one. 0: the first period is like all others.
    std::uint64_t first_period_ns = 0;
    // The kernel's tick, if that takes the thread's samples from its beginning; else 0.
    std::uint64_t tick_ns = 0;
    // Those of the function that called the monitor: what a call must preserve, as pairs of a DWARF number and a
    // value.
    std::span<const std::uint64_t> caller_registers = {};
    std::uint64_t caller_pc = 0;  // an address in its call; 0: the caller is not known
    std::uint64_t caller_stack_pointer = 0;
    std::uint64_t stack_end = 0;  // the end of the thread's stack, where its first frame is; 0: not known

    static constexpr const char* kTable = "stream";
    static constexpr std::uint32_t kTableId = 18;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Stream::time);
        visit("stream", ColumnType::kUint, "", &Stream::stream);
        visit("kind", ColumnType::kUint, "", &Stream::kind);
        visit("tid", ColumnType::kUint, "", &Stream::tid);
        visit("creator_stream", ColumnType::kUint, "", &Stream::creator_stream);
        visit("creator_context", ColumnType::kUint, "", &Stream::creator_context);
        visit("stack_pointer", ColumnType::kUint, "address", &Stream::stack_pointer);
        visit("blocked_signals", ColumnType::kUint, "", &Stream::blocked_signals);
        visit("registers", ColumnType::kUintList, "", &Stream::registers);
        visit("float_registers", ColumnType::kBytes, "", &Stream::float_registers);
        visit("mechanism", ColumnType::kUint, "", &Stream::mechanism);
        visit("kernel_tid", ColumnType::kUint, "", &Stream::kernel_tid);
        visit("first_period_ns", ColumnType::kUint, "ns", &Stream::first_period_ns);
        visit("tick_ns", ColumnType::kUint, "ns", &Stream::tick_ns);
        visit("caller_registers", ColumnType::kUintList, "", &Stream::caller_registers);
        visit("caller_pc", ColumnType::kUint, "address", &Stream::caller_pc);
        visit("caller_stack_pointer", ColumnType::kUint, "address", &Stream::caller_stack_pointer);
        visit("stack_end", ColumnType::kUint, "address", &Stream::stack_end);
    }
};

struct StreamName {
    std::uint64_t stream = 0;
    std::string_view name = {};

    static constexpr const char* kTable = "stream-name";
    static constexpr std::uint32_t kTableId = 19;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("stream", ColumnType::kUint, "", &StreamName::stream);
        visit("name", ColumnType::kText, "", &StreamName::name);
    }
};

// The end of a stream. Time between the last sample and the end is in totals only.
struct StreamEnd {
    std::uint64_t time = 0;
    std::uint64_t stream = 0;
    std::span<const std::uint64_t> totals = {};  // every event over the stream's life, event-table order
    std::uint64_t enabled_ns = 0;                // counters' enabled and running time
    std::uint64_t running_ns = 0;
    std::uint64_t user_ns = 0;  // getrusage(RUSAGE_THREAD) over the life: the kernel's own split, a cross-check
    std::uint64_t system_ns = 0;
    std::uint64_t lost = 0;        // samples the kernel reports as dropped
    std::uint64_t throttled = 0;   // times the kernel throttled an event of this stream
    std::uint64_t merged = 0;      // samples whose signal was merged into a later one: no call path of their own
    std::uint64_t unwritten = 0;   // rows lost for want of space
    std::uint64_t monitor_ns = 0;  // processor time spent in the handler (estimate, from the clock)
    // Call paths by the way they ended; index: PathEnd.
    std::span<const std::uint64_t> paths = {};
    std::uint64_t asked = 0;         // StreamEndAsked: which of the following fields are known
    std::uint64_t voluntary = 0;     // times it left its processor voluntarily, over the thread's whole life
    std::uint64_t involuntary = 0;   // times another thread preempted it
    std::uint64_t run_delay_ns = 0;  // ready to run without a processor, over the thread's whole life (schedstat)
    std::uint64_t paces = 0;         // samples at which the processor's pace was measured
    std::uint64_t pace_ticks = 0;    // ticks of its clock for the same arithmetic at each of them, added up
    // The monitor's own work since the last sample; of it, in the kernel and in user mode, where distinguished.
    std::uint64_t own_ns = 0;
    std::uint64_t own_system_ns = 0;
    std::uint64_t own_user_ns = 0;

    static constexpr const char* kTable = "stream-end";
    static constexpr std::uint32_t kTableId = 20;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &StreamEnd::time);
        visit("stream", ColumnType::kUint, "", &StreamEnd::stream);
        visit("totals", ColumnType::kUintList, "", &StreamEnd::totals);
        visit("enabled_ns", ColumnType::kUint, "ns", &StreamEnd::enabled_ns);
        visit("running_ns", ColumnType::kUint, "ns", &StreamEnd::running_ns);
        visit("user_ns", ColumnType::kUint, "ns", &StreamEnd::user_ns);
        visit("system_ns", ColumnType::kUint, "ns", &StreamEnd::system_ns);
        visit("lost", ColumnType::kUint, "", &StreamEnd::lost);
        visit("throttled", ColumnType::kUint, "", &StreamEnd::throttled);
        visit("merged", ColumnType::kUint, "", &StreamEnd::merged);
        visit("unwritten", ColumnType::kUint, "", &StreamEnd::unwritten);
        visit("monitor_ns", ColumnType::kUint, "ns", &StreamEnd::monitor_ns);
        visit("paths", ColumnType::kUintList, "", &StreamEnd::paths);
        visit("asked", ColumnType::kUint, "", &StreamEnd::asked);
        visit("voluntary", ColumnType::kUint, "", &StreamEnd::voluntary);
        visit("involuntary", ColumnType::kUint, "", &StreamEnd::involuntary);
        visit("run_delay_ns", ColumnType::kUint, "ns", &StreamEnd::run_delay_ns);
        visit("paces", ColumnType::kUint, "", &StreamEnd::paces);
        visit("pace_ticks", ColumnType::kUint, "", &StreamEnd::pace_ticks);
        visit("own_ns", ColumnType::kUint, "ns", &StreamEnd::own_ns);
        visit("own_system_ns", ColumnType::kUint, "ns", &StreamEnd::own_system_ns);
        visit("own_user_ns", ColumnType::kUint, "ns", &StreamEnd::own_user_ns);
    }
};

// StreamEnd::asked
inline constexpr std::uint64_t kAskedSwitches = 0x1;
inline constexpr std::uint64_t kAskedRunDelay = 0x2;

}  // namespace kymo::recording
