/* Metrics that a program counts itself: 64-bit cells of the calling thread, readable from outside while it runs.
 *
 * Header only; C and C++ (with GCC or Clang). Without a measurement, every call is a load and a branch; compiled with
 * KYMO_DISABLE it vanishes altogether. Under `kymo record` and `kymo measure` the cells are in shared memory, and go
 * into the recording. Any thread may call these, each for itself: a thread's cells are its own, and totals are formed
 * by the reader. A thread's first call, and the functions that take a name, must not be in a signal handler; the rest
 * may.
 *
 *   static kymo_cell sent, in_foo;
 *   static const kymo_timer sending = 0;                      any number up to 15
 *   sent = kymo_counter("sent", "bytes");                     once, by name ...
 *   in_foo = kymo_gauge("in_foo", "");
 *   kymo_set_timer(sending, kymo_counter("sending", "ns"));
 *
 *   kymo_add_counter(sent, size);                             ... then as often as you like
 *   if (kymo_when(kymo_get_counter(in_foo) > 0)) kymo_start_timer(sending);
 *
 * In a shared library, do not ask for names in constructors: those run before the monitor begins.
 *
 * A channel of the program's own, a queue say, has a name and a number, alike at both ends. Each thread gets
 * its end once:
 *
 *   kymo_channel jobs = kymo_channel_to("jobs", 0);            the other thread: kymo_channel_from("jobs", 0)
 *   const uint64_t begun = kymo_begin_call(jobs);
 *   push(queue, job);
 *   kymo_end_call(jobs, begun, 1, sizeof *job);                one message; none if it failed
 *
 * Or by index from zero, without a name: kymo_add_counter(kymo_indexed(3), 1). A cell that is 0, or for which there
 * was no room, accepts values that are never read. Arithmetic is modulo 2^64.
 *
 * Cost where it is measured: add 1 to 2 ns, start and stop of a timer two readings of the processor's counter.
 */
#ifndef KYMO_METRICS_H
#define KYMO_METRICS_H

#include <stdint.h>

typedef uint32_t kymo_cell;  /* zero: none */
typedef uint32_t kymo_timer; /* 0 to KYMO_TIMERS - 1 */

/* An end of a channel, of the thread that asked for it. */
typedef struct kymo_channel {
    uint64_t* cells; /* null: no measurement, or there was no room */
} kymo_channel;

#define KYMO_INDEXED_CELLS 32
#define KYMO_TIMERS 16

/* A scope's beginning and end as instrumentation points (C, at the beginning of a block):
 *   KYMO_COUNT_SCOPE(in_foo);     adds 1, and subtracts it wherever the block is left
 *   KYMO_TIME_SCOPE(sending);     starts the timer, and stops it */
#define KYMO_JOIN_(a, b) a##b
#define KYMO_NAME_(a, b) KYMO_JOIN_(a, b)
#define KYMO_COUNT_SCOPE(cell)                                                                      \
    const kymo_cell KYMO_NAME_(kymo_scope_, __LINE__) __attribute__((cleanup(kymo_leave_count_))) = \
        kymo_enter_count_(cell)
#define KYMO_TIME_SCOPE(timer)                                                                      \
    const kymo_timer KYMO_NAME_(kymo_scope_, __LINE__) __attribute__((cleanup(kymo_leave_time_))) = \
        kymo_enter_time_(timer)

/* The condition during a measurement; otherwise 0, and the condition is not evaluated. */
#define kymo_when(condition) (kymo_is_counting() && (condition))

/* A condition on a cell of the calling thread, as data. Comparisons are unsigned. */
typedef enum kymo_comparison {
    KYMO_EQUAL,
    KYMO_NOT_EQUAL,
    KYMO_LESS,
    KYMO_LESS_OR_EQUAL,
    KYMO_GREATER,
    KYMO_GREATER_OR_EQUAL
} kymo_comparison;

typedef struct kymo_predicate {
    kymo_cell cell;
    kymo_comparison comparison;
    uint64_t value;
} kymo_predicate;

#ifdef KYMO_DISABLE

#ifdef __cplusplus
extern "C" {
#endif
static inline int kymo_is_counting(void) {
    return 0;
}
static inline kymo_cell kymo_indexed(unsigned index) {
    (void)index;
    return 0;
}
static inline kymo_cell kymo_counter(const char* name, const char* unit) {
    (void)name, (void)unit;
    return 0;
}
static inline kymo_cell kymo_gauge(const char* name, const char* unit) {
    (void)name, (void)unit;
    return 0;
}
static inline kymo_cell kymo_maximum(const char* name, const char* unit) {
    (void)name, (void)unit;
    return 0;
}
static inline uint64_t kymo_get_counter(kymo_cell cell) {
    (void)cell;
    return 0;
}
static inline int kymo_holds(kymo_predicate predicate) {
    (void)predicate;
    return 0;
}
static inline void kymo_set_counter(kymo_cell cell, uint64_t value) {
    (void)cell, (void)value;
}
static inline void kymo_add_counter(kymo_cell cell, uint64_t value) {
    (void)cell, (void)value;
}
static inline void kymo_sub_counter(kymo_cell cell, uint64_t value) {
    (void)cell, (void)value;
}
static inline void kymo_raise_counter(kymo_cell cell, uint64_t value) {
    (void)cell, (void)value;
}
static inline void kymo_set_timer(kymo_timer timer, kymo_cell cell) {
    (void)timer, (void)cell;
}
static inline void kymo_start_timer(kymo_timer timer) {
    (void)timer;
}
static inline void kymo_stop_timer(kymo_timer timer) {
    (void)timer;
}
static inline kymo_channel kymo_no_channel_(const char* name, uint64_t number) {
    kymo_channel none = {(uint64_t*)0};
    (void)name, (void)number;
    return none;
}
static inline kymo_channel kymo_channel_to(const char* name, uint64_t number) {
    return kymo_no_channel_(name, number);
}
static inline kymo_channel kymo_channel_from(const char* name, uint64_t number) {
    return kymo_no_channel_(name, number);
}
static inline kymo_channel kymo_shared_channel_to(const char* name, uint64_t number) {
    return kymo_no_channel_(name, number);
}
static inline kymo_channel kymo_shared_channel_from(const char* name, uint64_t number) {
    return kymo_no_channel_(name, number);
}
static inline uint64_t kymo_begin_call(kymo_channel channel) {
    (void)channel;
    return 0;
}
static inline void kymo_end_call(kymo_channel channel, uint64_t begun, uint64_t messages, uint64_t bytes) {
    (void)channel, (void)begun, (void)messages, (void)bytes;
}
static inline kymo_cell kymo_enter_count_(kymo_cell cell) {
    return cell;
}
static inline void kymo_leave_count_(const kymo_cell* cell) {
    (void)cell;
}
static inline kymo_timer kymo_enter_time_(kymo_timer timer) {
    return timer;
}
static inline void kymo_leave_time_(const kymo_timer* timer) {
    (void)timer;
}
#ifdef __cplusplus
}
#endif

#else

#include <dlfcn.h>
#include <kymo/cells_interface.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One for the program and one for each of its libraries: weak, so that all translation units share it. */
#define KYMO_SHARED_ __attribute__((weak, visibility("hidden")))
KYMO_SHARED_ int kymo_nobody_counts_;
KYMO_SHARED_ const struct kymo_cells_interface* kymo_interface_;
KYMO_SHARED_ __thread struct kymo_task kymo_here_ __attribute__((tls_model("initial-exec")));

/* The monitor may be there and not have begun yet (constructors of libraries): it is asked again for a while. */
KYMO_SHARED_ __attribute__((noinline, cold)) const struct kymo_cells_interface* kymo_find_interface_(void) {
    static int asked;
    const struct kymo_cells_interface* found = __atomic_load_n(&kymo_interface_, __ATOMIC_ACQUIRE);
    if (!found && !kymo_nobody_counts_) {
        void* symbol = dlsym((void*)0, "kymo_monitor_cells");
        kymo_monitor_cells_function monitor;
        __builtin_memcpy(&monitor, &symbol, sizeof monitor);
        found = symbol ? monitor() : (const struct kymo_cells_interface*)0;
        if (found) {
            __atomic_store_n(&kymo_interface_, found, __ATOMIC_RELEASE);
        } else if (!symbol || __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) > 1000) {
            __atomic_store_n(&kymo_nobody_counts_, 1, __ATOMIC_RELAXED);
        }
    }
    return found;
}

KYMO_SHARED_ __attribute__((noinline, cold)) struct kymo_task* kymo_enter_(void) {
    const struct kymo_cells_interface* found = kymo_find_interface_();
    if (!found) {
        return (struct kymo_task*)0;
    }
    found->enter(&kymo_here_);
    return &kymo_here_;
}

/* The calling thread's cells; null: no measurement. */
static inline struct kymo_task* kymo_task_here_(void) {
    if (__builtin_expect(kymo_nobody_counts_, 0)) {
        return (struct kymo_task*)0;
    }
    return __builtin_expect(kymo_here_.cells != (uint64_t*)0, 1) ? &kymo_here_ : kymo_enter_();
}

static inline int kymo_is_counting(void) {
    return kymo_task_here_() != (struct kymo_task*)0;
}

/* ---- cells and timers by name or number ---- */

static inline kymo_cell kymo_indexed(unsigned index) {
    return index < KYMO_INDEXED_CELLS ? 32U + index : 0U;
}

static inline kymo_cell kymo_named_(const char* name, const char* unit, uint32_t type) {
    const struct kymo_cells_interface* found = kymo_find_interface_();
    return found ? found->named_cell(name, unit, type) : 0U;
}

/* Only its changes count; totals over threads are sums. The same name always gives the same cell. At most 47 bytes of
 * a name and 15 of a unit are kept. */
static inline kymo_cell kymo_counter(const char* name, const char* unit) {
    return kymo_named_(name, unit, 1);
}
/* A present state. A forked child goes on with its value, where counters begin at 0. */
static inline kymo_cell kymo_gauge(const char* name, const char* unit) {
    return kymo_named_(name, unit, 2);
}
/* Totals are maxima: see kymo_raise_counter. */
static inline kymo_cell kymo_maximum(const char* name, const char* unit) {
    return kymo_named_(name, unit, 3);
}

/* ---- the six primitives ---- */

__extension__ typedef unsigned __int128 kymo_wide_;

static inline uint64_t* kymo_at_(const struct kymo_task* task, kymo_cell cell) {
    return &task->cells[cell & 127U];
}

static inline void kymo_set_counter(kymo_cell cell, uint64_t value) {
    const struct kymo_task* task = kymo_task_here_();
    if (task) {
        __atomic_store_n(kymo_at_(task, cell), value, __ATOMIC_RELAXED);
    }
}

/* One instruction on x86-64: a signal handler of the same thread may add to the same cell. */
static inline void kymo_increase_(uint64_t* cell, uint64_t value) {
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(value) : "cc");
#else
    __atomic_store_n(cell, __atomic_load_n(cell, __ATOMIC_RELAXED) + value, __ATOMIC_RELAXED);
#endif
}

static inline void kymo_add_counter(kymo_cell cell, uint64_t value) {
    const struct kymo_task* task = kymo_task_here_();
    if (task) {
        kymo_increase_(kymo_at_(task, cell), value);
    }
}

static inline void kymo_sub_counter(kymo_cell cell, uint64_t value) {
    kymo_add_counter(cell, ~value + 1U);
}

/* Binds the timer to a cell: its time is added there, in nanoseconds. For the calling thread, and for all that have
 * not bound it themselves. */
static inline void kymo_set_timer(kymo_timer timer, kymo_cell cell) {
    const struct kymo_cells_interface* found = kymo_find_interface_();
    const struct kymo_task* task = kymo_task_here_();
    if (found && task && timer < KYMO_TIMERS) {
        found->bind(timer, cell & 127U);
        __atomic_store_n(&task->timers[timer].cell, cell & 127U, __ATOMIC_RELAXED);
    }
}

/* The C library's clock_gettime and its struct timespec under names of our own: strict C (-std=c99) declares neither.
 */
struct kymo_timespec_ {
    long seconds;
    long nanoseconds;
};
extern int kymo_clock_gettime_(int clock, struct kymo_timespec_* time) __asm__("clock_gettime");

static inline uint64_t kymo_ticks_(const struct kymo_tick_rate* rate) {
    struct kymo_timespec_ now;
#if defined(__x86_64__)
    if (__builtin_expect(rate->kind == 2U, 1)) {
        return __builtin_ia32_rdtsc();
    }
#elif defined(__aarch64__)
    if (__builtin_expect(rate->kind == 2U, 1)) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    kymo_clock_gettime_(1 /* CLOCK_MONOTONIC */, &now);
    return (uint64_t)now.seconds * 1000000000U + (uint64_t)now.nanoseconds;
}

/* Starts are counted: the time runs from the first one to the stop that matches it. */
static inline void kymo_start_timer(kymo_timer timer) {
    const struct kymo_task* task = kymo_task_here_();
    if (task) {
        struct kymo_timer_state* state = &task->timers[timer & (KYMO_TIMERS - 1)];
        const uint32_t depth = __atomic_load_n(&state->depth, __ATOMIC_RELAXED);
        if (depth == 0U) {
            if (state->cell == 0U) {
                state->cell = __atomic_load_n(&task->bindings[timer & (KYMO_TIMERS - 1)], __ATOMIC_RELAXED);
            }
            __atomic_store_n(&state->since, kymo_ticks_(task->rate), __ATOMIC_RELAXED);
        }
        __atomic_store_n(&state->depth, depth + 1U, __ATOMIC_RELEASE);
    }
}

static inline void kymo_stop_timer(kymo_timer timer) {
    const struct kymo_task* task = kymo_task_here_();
    if (task) {
        struct kymo_timer_state* state = &task->timers[timer & (KYMO_TIMERS - 1)];
        const uint32_t depth = __atomic_load_n(&state->depth, __ATOMIC_RELAXED);
        if (depth > 1U) {
            __atomic_store_n(&state->depth, depth - 1U, __ATOMIC_RELAXED);
        } else if (depth == 1U) {
            const uint64_t ticks = kymo_ticks_(task->rate) - state->since;
            __atomic_store_n(&state->depth, 0U, __ATOMIC_RELAXED);
            if ((int64_t)ticks > 0) { /* counters of two cores may differ by some ticks */
                const uint64_t ns = (uint64_t)(((kymo_wide_)ticks * task->rate->multiplier) >> task->rate->shift);
                kymo_increase_(kymo_at_(task, state->cell), ns);
            }
        }
    }
}

/* ---- beyond them ---- */

static inline uint64_t kymo_get_counter(kymo_cell cell) {
    const struct kymo_task* task = kymo_task_here_();
    return task ? __atomic_load_n(kymo_at_(task, cell), __ATOMIC_RELAXED) : 0U;
}

/* For maxima: sets the cell to `value` where that is greater. */
static inline void kymo_raise_counter(kymo_cell cell, uint64_t value) {
    const struct kymo_task* task = kymo_task_here_();
    if (task && __atomic_load_n(kymo_at_(task, cell), __ATOMIC_RELAXED) < value) {
        __atomic_store_n(kymo_at_(task, cell), value, __ATOMIC_RELAXED);
    }
}

/* 0 without a measurement. */
static inline int kymo_holds(kymo_predicate predicate) {
    const struct kymo_task* task = kymo_task_here_();
    uint64_t cell;
    if (!task) {
        return 0;
    }
    cell = __atomic_load_n(kymo_at_(task, predicate.cell), __ATOMIC_RELAXED);
    switch (predicate.comparison) {
        case KYMO_EQUAL:
            return cell == predicate.value;
        case KYMO_NOT_EQUAL:
            return cell != predicate.value;
        case KYMO_LESS:
            return cell < predicate.value;
        case KYMO_LESS_OR_EQUAL:
            return cell <= predicate.value;
        case KYMO_GREATER:
            return cell > predicate.value;
        case KYMO_GREATER_OR_EQUAL:
            return cell >= predicate.value;
    }
    return 0;
}

/* ---- channels ---- */

static inline kymo_channel kymo_end_(const char* name, uint64_t number, uint32_t receives, uint32_t is_shared) {
    kymo_channel end = {(uint64_t*)0};
    const struct kymo_cells_interface* found = kymo_find_interface_();
    if (found && kymo_task_here_() && found->bytes >= sizeof(struct kymo_cells_interface)) {
        end.cells = found->end(name, number, receives, is_shared);
    }
    return end;
}

/* The calling thread sends by it, or receives. At most 31 bytes of a name are kept; a number may tell apart channels
 * of one name, a queue's address say. */
static inline kymo_channel kymo_channel_to(const char* name, uint64_t number) {
    return kymo_end_(name, number, 0, 0);
}
static inline kymo_channel kymo_channel_from(const char* name, uint64_t number) {
    return kymo_end_(name, number, 1, 0);
}
/* Between processes of one host. */
static inline kymo_channel kymo_shared_channel_to(const char* name, uint64_t number) {
    return kymo_end_(name, number, 0, 1);
}
static inline kymo_channel kymo_shared_channel_from(const char* name, uint64_t number) {
    return kymo_end_(name, number, 1, 1);
}

/* Before and after a call that sends or receives: the time between is what the thread was inside calls. After a fork
 * the child needs ends of its own. */
static inline uint64_t kymo_begin_call(kymo_channel channel) {
    const struct kymo_task* task = channel.cells ? kymo_task_here_() : (struct kymo_task*)0;
    return task ? kymo_ticks_(task->rate) : 0U;
}
static inline void kymo_end_call(kymo_channel channel, uint64_t begun, uint64_t messages, uint64_t bytes) {
    const struct kymo_task* task = channel.cells ? kymo_task_here_() : (struct kymo_task*)0;
    if (task) {
        const uint64_t ticks = kymo_ticks_(task->rate) - begun;
        if ((int64_t)ticks > 0) {
            kymo_increase_(&channel.cells[3],
                           (uint64_t)(((kymo_wide_)ticks * task->rate->multiplier) >> task->rate->shift));
        }
        kymo_increase_(&channel.cells[7], 1);
        if (messages != 0U) {
            kymo_increase_(&channel.cells[1], messages);
            kymo_increase_(&channel.cells[2], bytes);
            if (messages == 1U && __atomic_load_n(&channel.cells[5], __ATOMIC_RELAXED) < bytes) {
                __atomic_store_n(&channel.cells[5], bytes, __ATOMIC_RELAXED);
            }
        }
    }
}

static inline kymo_cell kymo_enter_count_(kymo_cell cell) {
    kymo_add_counter(cell, 1);
    return cell;
}
static inline void kymo_leave_count_(const kymo_cell* cell) {
    kymo_sub_counter(*cell, 1);
}
static inline kymo_timer kymo_enter_time_(kymo_timer timer) {
    kymo_start_timer(timer);
    return timer;
}
static inline void kymo_leave_time_(const kymo_timer* timer) {
    kymo_stop_timer(*timer);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
