// What getrusage says of a thread, made by hand.
#pragma once

#include <sys/resource.h>

namespace kymo::monitor::testing {

inline rusage used(long user_us, long system_us) {
    rusage usage{};
    usage.ru_utime.tv_usec = user_us;
    usage.ru_stime.tv_usec = system_us;
    return usage;
}

}  // namespace kymo::monitor::testing
