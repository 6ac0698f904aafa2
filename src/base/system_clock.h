// The system's clock, bypassing any replacement.
//
// clock_gettime() may be another library's: libfaketime shows a program another time, and would show it to Kymo,
// whose times must agree with the kernel's records. The kernel's own function is in a page that it maps into every
// process (vdso(7)); the C library calls it, too.
#pragma once

#include "base/native.h"
#include "base/time.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

// From now on read_clock() uses the system's clock. Call once, before other threads read clocks. Without such a
// page nothing changes. Takes the loader's lock.
inline void use_system_clock() {
    if (void* page = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD); page != nullptr) {
        if (void* function = dlsym(page, processor::kSharedClock); function != nullptr) {
            clock_function = reinterpret_cast<ClockFunction>(function);
        }
    }
}

// From now on read_clock() makes a system call: a program may disable for itself the counter that the kernel's
// page reads (PR_SET_TSC).
inline int called_clock(clockid_t clock, timespec* now) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
}
inline void use_called_clock() {
    clock_function = called_clock;
}

// False if the program has disabled the processor's counter, in any of its threads: reading it would fault.
inline bool may_read_counter() {
    return clock_function != called_clock;
}

}  // namespace kymo
