// The distance of an event's address from the instruction that caused it, by what the kernel was asked for.
#pragma once

#include "recording/tables.h"

#include <cstdint>
#include <linux/perf_event.h>

namespace kymo::recording {

// `type`, `config`, `precise`: perf_event_attr's. The caller handles events that happen only inside the kernel.
constexpr HuntPrecision hunt_precision(std::uint64_t type, std::uint64_t config, std::uint64_t precise) {
    // Faults and similar events are taken at the very instruction; the clocks' interrupts come behind it.
    if (type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT) {
        const bool is_clock =
            type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_TASK_CLOCK || config == PERF_COUNT_SW_CPU_CLOCK);
        return is_clock ? HuntPrecision::kSkid : HuntPrecision::kPrecise;
    }
    return precise >= 2 ? HuntPrecision::kPrecise : precise == 1 ? HuntPrecision::kConstant : HuntPrecision::kSkid;
}

}  // namespace kymo::recording
