// The system's clock, past whatever stands in its place.
//
// clock_gettime() may be another library's: libfaketime shows a program another time, and would show it to Kymo,
// whose times must agree with the kernel's records. The kernel's own function lies in a page that it maps into every
// process (vdso(7)); it is what the C library calls, too.
#pragma once

#include "base/native.h"
#include "base/time.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

// From now on read_clock() asks the system. Once, before there are threads that ask. Where the kernel has no such
// page nothing changes. Takes the loader's lock.
inline void use_system_clock() {
    if (void* page = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD); page != nullptr) {
        if (void* function = dlsym(page, processor::kSharedClock); function != nullptr) {
            clock_function = reinterpret_cast<ClockFunction>(function);
        }
    }
}

// From now on read_clock() makes a system call: a program may forbid itself the counter that the kernel's page reads
// (PR_SET_TSC).
inline int called_clock(clockid_t clock, timespec* now) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
}
inline void use_called_clock() {
    clock_function = called_clock;
}

// False where the program has forbidden itself the processor's counter, in any of its threads: reading it would
// fault.
inline bool may_read_counter() {
    return clock_function != called_clock;
}

}  // namespace kymo
