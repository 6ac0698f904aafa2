// What the kernel keeps of every thread anyhow (getrusage). It goes on when a process becomes another program: what
// was used up before belongs to the other program.
#pragma once

#include "monitor/clock.h"

#include <cstdint>
#include <sys/resource.h>

namespace kymo::monitor {

struct UsageSoFar {
    std::uint64_t user_ns = 0;
    std::uint64_t system_ns = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
};

inline UsageSoFar usage_so_far(const rusage& usage) {
    const auto count = [](long value) { return static_cast<std::uint64_t>(value); };
    return {nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime), count(usage.ru_nvcsw),
            count(usage.ru_nivcsw),      count(usage.ru_minflt),      count(usage.ru_majflt)};
}

// Later minus earlier. Either of the kernel's two times may decrease a little, because it divides their sum again.
inline std::uint64_t since(std::uint64_t value, std::uint64_t before) {
    return value > before ? value - before : 0;
}

}  // namespace kymo::monitor
