// What the probes' eBPF program (steps.bpf.cpp) shares with its loader: the values of its maps. Included by both, so
// without anything of libstdc++'s.
#pragma once

#include "cells/layout.h"

#include <cstdint>

namespace kymo::hooks {

// Selects the calls that count. The kernel runs the program for every thread that hits a probe.
struct ProbeSettings {
    std::uint64_t namespace_device;  // of the process ids below: stat(2) of /proc/self/ns/pid
    std::uint64_t namespace_inode;
    std::uint32_t process;
    std::uint32_t reserved;
    std::uint32_t bindings[cells::kTaskTimers];  // of timers to cells, until a task binds them otherwise
};

// An instrumentation point: its steps, one behind the other in their map.
struct ProbePoint {
    std::uint32_t first;
    std::uint32_t count;
};

// The cookie that an attached probe passes to the program.
constexpr std::uint64_t kAtExit = std::uint64_t{1} << 32U;
constexpr std::uint64_t kReturnAwaited = std::uint64_t{1}
                                         << 33U;              // of an entry: the kernel is to see the call return
constexpr std::uint64_t kReturned = std::uint64_t{1} << 34U;  // of an exit: it has reported it

// The cells of a thread, from the first probe that it comes to. Written by that thread alone.
struct ProbeThread {
    std::uint64_t begin;  // CLOCK_MONOTONIC, ns; 0: being made
    char name[16];
    std::uint64_t awaited;   // calls whose return is awaited
    std::uint64_t returned;  // and was seen: not beyond 64 deep in a thread, nor for calls that longjmp has cut
                             // short
    std::uint64_t cells[cells::kTaskCells];
    cells::Timer timers[cells::kTaskTimers];
};

constexpr std::uint32_t kProbeThreads = 4096;  // of a run, that live or have ended since the last reading

}  // namespace kymo::hooks
