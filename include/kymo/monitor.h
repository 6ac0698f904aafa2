/* Start, stop and mark measurement from inside the measured program.
 *
 * Header only; C and C++. Without the monitor every call does nothing: the first call looks the monitor
 * up by name (a few microseconds, once a translation unit and function), later calls cost one branch.
 * Compiled with KYMO_DISABLE the calls vanish altogether. May be called from any thread; not from a
 * signal handler.
 *
 *   kymo_stop();                     measurement off, in all threads
 *   kymo_start();                    and on again
 *   kymo_mark("checkpoint", 17);     a point in time, with a number of the program's choosing
 *   kymo_begin("solve", step);       a stretch of time of the calling thread ...
 *   kymo_end("solve");               ... and its end
 *
 * Names are copied; at most 255 bytes are kept. Link with -ldl where the C library is older than 2.34.
 */
#ifndef KYMO_MONITOR_H
#define KYMO_MONITOR_H

#ifdef KYMO_DISABLE

#define kymo_start() ((void)0)
#define kymo_stop() ((void)0)
#define kymo_mark(name, value) ((void)(name), (void)(value))
#define kymo_begin(name, value) ((void)(name), (void)(value))
#define kymo_end(name) ((void)(name))
#define kymo_is_measured() 0

#else

#ifdef __cplusplus
extern "C" {
#endif

/* Declared as in <dlfcn.h>, which hides RTLD_DEFAULT (a null handle) without _GNU_SOURCE. */
#include <dlfcn.h>

/* What the monitor exports; use the functions below. kind: 0 point, 1 begin, 2 end, 3 start, 4 stop. */
typedef void (*kymo_monitor_mark_function)(int kind, const char* name, long long value);

static inline void kymo_call_monitor(int kind, const char* name, long long value) {
    static kymo_monitor_mark_function monitor;
    static int looked;
    if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
        void* symbol = dlsym((void*)0, "kymo_monitor_mark");
        __builtin_memcpy(&monitor, &symbol, sizeof monitor);
        __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
    }
    if (monitor) {
        monitor(kind, name, value);
    }
}

static inline int kymo_is_measured(void) {
    return dlsym((void*)0, "kymo_monitor_mark") != (void*)0;
}
static inline void kymo_mark(const char* name, long long value) {
    kymo_call_monitor(0, name, value);
}
static inline void kymo_begin(const char* name, long long value) {
    kymo_call_monitor(1, name, value);
}
static inline void kymo_end(const char* name) {
    kymo_call_monitor(2, name, 0);
}
static inline void kymo_start(void) {
    kymo_call_monitor(3, "", 0);
}
static inline void kymo_stop(void) {
    kymo_call_monitor(4, "", 0);
}

#ifdef __cplusplus
}
#endif
#endif
#endif
