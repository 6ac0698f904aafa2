// The six primitives on a task's cells, and actions: what happens at a control point, as plain data.
//
// setCounter addCounter subCounter: set(), add(), subtract(). setTimer startTimer stopTimer: bind(), start(), stop().
// Only the task itself calls these on its own cells; no locks and no atomic read-modify-writes, yet a signal handler
// of the same thread may come between any two instructions and use the same cells (on x86-64 an addition is one
// instruction). Arithmetic is modulo 2^64. Out-of-range indices reach some other cell of the same task, never other
// memory. Cost: 1–2 ns, timers two readings of the counter.
//
// A timer counts its starts: the time runs from the first start to the stop that matches it, so a function that calls
// itself is timed once, from outermost entry to outermost exit. A stop without a start does nothing.
#pragma once

#include "cells/layout.h"
#include "cells/ticks.h"

#include <cstdint>

namespace kymo::cells {

// The calling task's cells. Valid as long as the task lives.
struct Task {
    std::uint64_t* cells = nullptr;  // kTaskCells
    Timer* timers = nullptr;         // kTaskTimers
    const TickRate* rate = nullptr;
    const std::uint32_t* bindings = nullptr;  // of timers that the task has not bound itself
};

inline void store(std::uint64_t& cell, std::uint64_t value) {
    __atomic_store_n(&cell, value, __ATOMIC_RELAXED);
}

inline std::uint64_t load(const std::uint64_t& cell) {
    return __atomic_load_n(&cell, __ATOMIC_RELAXED);
}

inline void increase(std::uint64_t& cell, std::uint64_t by) {
#if defined(__x86_64__)
    asm volatile("addq %1, %0" : "+m"(cell) : "er"(by) : "cc");
#else
    store(cell, load(cell) + by);
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
    __atomic_store_n(&timer_of(task, timer).cell, cell & (kTaskCells - 1), __ATOMIC_RELAXED);
}

inline void start(const Task& task, std::uint32_t number) {
    Timer& timer = timer_of(task, number);
    const std::uint32_t depth = __atomic_load_n(&timer.depth, __ATOMIC_RELAXED);
    if (depth == 0) {
        if (__atomic_load_n(&timer.cell, __ATOMIC_RELAXED) == kNoCell) {
            bind(task, number, task.bindings[number & (kTaskTimers - 1)]);
        }
        store(timer.since, read_ticks(task.rate->kind));
    }
    __atomic_store_n(&timer.depth, depth + 1, __ATOMIC_RELEASE);
}

inline void stop(const Task& task, std::uint32_t number) {
    Timer& timer = timer_of(task, number);
    const std::uint32_t depth = __atomic_load_n(&timer.depth, __ATOMIC_RELAXED);
    if (depth > 1) {
        __atomic_store_n(&timer.depth, depth - 1, __ATOMIC_RELAXED);
    } else if (depth == 1) {
        const std::uint64_t ticks = read_ticks(task.rate->kind) - load(timer.since);
        __atomic_store_n(&timer.depth, 0U, __ATOMIC_RELAXED);
        const std::uint32_t cell = __atomic_load_n(&timer.cell, __ATOMIC_RELAXED);
        // Counters of two cores may differ by some ticks: a thread that moved must not add 2^64 of them.
        if (static_cast<std::int64_t>(ticks) > 0) {
            add(task, cell, task.rate->to_ns(ticks));
        }
    }
}

}  // namespace kymo::cells
