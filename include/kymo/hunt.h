/* A program that hunts in itself: which of its own instructions cause most of an event, found while it runs, in
 * constant memory, and reported to it at once. For just-in-time compilers, run times and other programs that can
 * change what they do. Link with -lkymo-hunt. C and C++.
 *
 *   static void found(const kymo_hunt_result* result, void* context) { ... }
 *   kymo_hunt_options options = {.event = "page-faults", .share = 0.2, .found = found};
 *   kymo_hunt* hunt = kymo_hunt_start(&options);
 *   if (!hunt) puts(kymo_hunt_error());
 *   ...
 *   kymo_hunt_stop(hunt);
 *
 * The thread that starts a hunt takes part in it; others do after kymo_hunt_join. Kernel performance events, in user
 * mode only: no rights are needed if perf_event_paranoid is 2 or less. Needs a signal (SIGURG, unless another
 * is chosen) that nothing else in the program handles, and blocks none of the program's calls longer than its handler
 * runs.
 *
 * `found` runs in that signal's handler, on the thread whose event decided the result: only what is async-signal-safe
 * may be done there. Or leave it out, and take results with kymo_hunt_next when it suits; `notify`, a signal's
 * number, is then sent to that thread as a wake-up.
 */
#ifndef KYMO_HUNT_H
#define KYMO_HUNT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): C, whose compilers read this, too */
typedef struct kymo_hunt kymo_hunt;

typedef struct kymo_hunt_result {
    const void* address; /* the instruction */
    double share;        /* of the events: an estimate from the test, optimistic by some tenths of itself */
    uint64_t events;     /* of the test */
    uint64_t matches;    /* of them at this address */
    uint64_t seen;       /* events of the hunt so far */
    int thread;          /* kernel id of the thread whose event decided it */
    int quiet; /* 1: no news of a source, but of one found earlier: it has lost its share. events and matches
                  are then those since its result */
} kymo_hunt_result;

typedef void (*kymo_hunt_function)(const kymo_hunt_result* result, void* context);

/* Zero in a field: the default. */
typedef struct kymo_hunt_options {
    const char* event; /* as for kymo hunt -e; needed. Without :period= or :freq= every software event, and clocks and
                          hardware events 2000 times a second */
    double share;      /* find what causes this share or more (0.05) */
    double refuse;     /* not what causes this or less (0.4 * share) */
    double confidence; /* 0.99 */
    double false_reports; /* in the whole run, at most (1 - confidence) */
    unsigned pairs;       /* addresses under test at once, up to 16 (4) */
    int signal;           /* for the events (SIGURG) */
    int notify;           /* sent to the thread on a result (none) */
    kymo_hunt_function found;
    void* context;
    unsigned terminals[2]; /* T1, T2: the literal pair of counters with these terminals, in events, instead of
                              confidence and false_reports (0, 0: the sequential test). Share: T2 / T1 unless given */
    int rest; /* after a test a pair rests up to so many events, at random; -1: none (0: a quarter of what a
                 hopeless test takes) */
} kymo_hunt_options;
/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

/* Null: kymo_hunt_error() says why, in a line. At most eight hunts at a time in a process. */
kymo_hunt* kymo_hunt_start(const kymo_hunt_options* options);
/* The calling thread takes part; 0, or -1 and kymo_hunt_error(). Until it calls kymo_hunt_leave, or ends. */
int kymo_hunt_join(kymo_hunt* hunt);
void kymo_hunt_leave(kymo_hunt* hunt);
/* The oldest result not yet taken: 1, or 0 if there is none. The latest 32 are kept. */
int kymo_hunt_next(kymo_hunt* hunt, kymo_hunt_result* result);
/* In all threads; `hunt` is gone then. Not while other threads call functions of this hunt, nor from `found`. */
void kymo_hunt_stop(kymo_hunt* hunt);
/* Of the calling thread's last failure. */
const char* kymo_hunt_error(void);

#ifdef __cplusplus
}
#endif
#endif
