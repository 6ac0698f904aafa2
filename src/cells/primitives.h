// The six primitives on a task's cells, and actions: the steps at an instrumentation point, as plain data.
//
// setCounter addCounter subCounter: set(), add(), subtract(). setTimer startTimer stopTimer: bind(), start(),
// stop(). Only the task itself calls these on its own cells; no locks and no atomic read-modify-writes, yet a
// signal handler of the same thread may run between any two instructions and use the same cells (base/native.h,
// add()). Arithmetic is modulo 2^64. Out-of-range indices reach some other cell of the same task, never other
// memory. Cost: 1–2 ns, timers two readings of the counter.
//
// A timer counts its starts: the time runs from the first start to the stop that matches it, so a function that
// calls itself is timed once, from outermost entry to outermost exit. A stop without a start does nothing.
#pragma once

#include "cells/layout.h"
#if defined(__bpf__)
#include "cells/kernel_ticks.h"
#else
#include "base/native.h"
#include "cells/ticks.h"
#endif

#include <cstdint>

namespace kymo::cells {

// The calling task's cells. Valid as long as the task lives.
struct Task {
    std::uint64_t* cells = nullptr;  // kTaskCells
    Timer* timers = nullptr;         // kTaskTimers
    const TickRate* rate = nullptr;
    const std::uint32_t* bindings = nullptr;  // of timers that the task has not bound itself
};

// Never torn, for readers outside the process. eBPF has no atomic loads and stores; its plain ones of aligned
// words are not torn.
template <typename Word>
inline void store(Word& cell, Word value) {
#if defined(__bpf__)
    *const_cast<volatile Word*>(&cell) = value;
#else
    __atomic_store_n(&cell, value, __ATOMIC_RELAXED);
#endif
}

// The same, ordered behind earlier stores.
inline void store_after(std::uint32_t& cell, std::uint32_t value) {
#if defined(__bpf__)
    store(cell, value);
#else
    __atomic_store_n(&cell, value, __ATOMIC_RELEASE);
#endif
}

template <typename Word>
inline Word load(const Word& cell) {
#if defined(__bpf__)
    return *const_cast<const volatile Word*>(&cell);
#else
    return __atomic_load_n(&cell, __ATOMIC_RELAXED);
#endif
}

inline void increase(std::uint64_t& cell, std::uint64_t by) {
#if defined(__bpf__)
    store(cell, load(cell) + by);
#else
    processor::add(cell, by);
#endif
}

inline std::uint64_t& cell_of(const Task& task, std::uint32_t cell) {
    return task.cells[cell & (kTaskCells - 1)];
}

inline Timer& timer_of(const Task& task, std::uint32_t timer) {
    return task.timers[timer & (kTaskTimers - 1)];
}

inline void set(const Task& task, std::uint32_t cell, std::uint64_t value) {
    store(cell_of(task, cell), value);
}

inline void add(const Task& task, std::uint32_t cell, std::uint64_t value) {
    increase(cell_of(task, cell), value);
}

inline void subtract(const Task& task, std::uint32_t cell, std::uint64_t value) {
    increase(cell_of(task, cell), ~value + 1);
}

inline void bind(const Task& task, std::uint32_t timer, std::uint32_t cell) {
    store(timer_of(task, timer).cell, cell & (kTaskCells - 1));
}

inline void start(const Task& task, std::uint32_t number) {
    Timer& timer = timer_of(task, number);
    const std::uint32_t depth = load(timer.depth);
    if (depth == 0) {
        if (load(timer.cell) == kNoCell) {
            bind(task, number, task.bindings[number & (kTaskTimers - 1)]);
        }
        store(timer.since, read_ticks(task.rate->kind));
    }
    store_after(timer.depth, depth + 1);
}

inline void stop(const Task& task, std::uint32_t number) {
    Timer& timer = timer_of(task, number);
    const std::uint32_t depth = load(timer.depth);
    if (depth > 1) {
        store(timer.depth, depth - 1);
    } else if (depth == 1) {
        const std::uint64_t ticks = read_ticks(task.rate->kind) - load(timer.since);
        store(timer.depth, 0U);
        const std::uint32_t cell = load(timer.cell);
        // Counters of two cores may differ by some ticks: a thread that moved must not add 2^64 of them.
        if (static_cast<std::int64_t>(ticks) > 0) {
            add(task, cell, task.rate->to_ns(ticks));
        }
    }
}

}  // namespace kymo::cells
