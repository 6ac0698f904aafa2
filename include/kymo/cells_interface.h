/* How code in a measured program gets at its process's metric cells: for <kymo/metrics.h> and for libraries of Kymo's
 * own. Not for use by itself. C and C++.
 *
 * The monitor exports kymo_monitor_cells(); looked up by name, so that nothing need be linked. The interface only
 * grows at its end: `bytes` says which part a monitor has.
 */
#ifndef KYMO_CELLS_INTERFACE_H
#define KYMO_CELLS_INTERFACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming,modernize-use-using): names and declarations of C */
struct kymo_timer_state {
    uint64_t since; /* ticks */
    uint32_t depth;
    uint32_t cell;
};

struct kymo_tick_rate {
    uint32_t kind; /* 1: nanoseconds of CLOCK_MONOTONIC, 2: the processor's counter */
    uint32_t shift;
    uint64_t multiplier;
};

/* The calling thread's. `cells` null: not asked for yet. */
struct kymo_task {
    uint64_t* cells;
    struct kymo_timer_state* timers;
    const struct kymo_tick_rate* rate;
    const uint32_t* bindings;
};

struct kymo_channel_key {
    uint64_t communicator;
    uint64_t peer;
    uint64_t direction; /* 0 send, 1 receive, 2 collective, 3 one-sided; docs/cells-format.md */
};

struct kymo_cells_interface {
    uint32_t version; /* 1 */
    uint32_t bytes;   /* of this structure */
    /* The calling thread's cells; the same until it ends, and in a forked child. Never fails: a thread that gets no
     * place has cells that are never read. Not in a signal handler. */
    void (*enter)(struct kymo_task* task);
    /* A task's cell by name; 0, which is never read, if there is no room. type: 1 counter, 2 gauge, 3 maximum. */
    uint32_t (*named_cell)(const char* name, const char* unit, uint32_t type);
    /* A timer for all tasks that have not bound it themselves. */
    void (*bind)(uint32_t timer, uint32_t cell);
    /* A new row of a channel, of the calling thread alone: its cells (kymo::cells::ChannelCell), or null. `number`:
     * the same for all rows of one channel. */
    uint64_t* (*channel)(const struct kymo_channel_key* key, uint64_t number, const char* name);
    /* A new row of an end of a declared channel, of the calling thread alone: its cells, or null. The channel goes by
     * name and number, within the process or, where is_shared is not 0, the host. */
    uint64_t* (*end)(const char* name, uint64_t number, uint32_t receives, uint32_t is_shared);
};

typedef const struct kymo_cells_interface* (*kymo_monitor_cells_function)(void); /* null: no measurement */
/* NOLINTEND(readability-identifier-naming,modernize-use-using) */

#ifdef __cplusplus
}
#endif
#endif
