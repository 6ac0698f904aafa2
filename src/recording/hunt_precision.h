// How far the address of an event may be from the instruction that caused it, from what the kernel was asked for.
#pragma once

#include "recording/tables.h"

#include <cstdint>
#include <linux/perf_event.h>

namespace kymo::recording {

// `type`, `config`, `precise`: perf_event_attr's. Events that happen inside the kernel alone are the caller's affair.
constexpr HuntPrecision hunt_precision(std::uint64_t type, std::uint64_t config, std::uint64_t precise) {
    // Faults and the like are taken at the very instruction; the clocks' interrupts come behind it.
    if (type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT) {
        const bool is_clock =
            type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_TASK_CLOCK || config == PERF_COUNT_SW_CPU_CLOCK);
        return is_clock ? HuntPrecision::kSkid : HuntPrecision::kPrecise;
    }
    return precise >= 2 ? HuntPrecision::kPrecise : precise == 1 ? HuntPrecision::kConstant : HuntPrecision::kSkid;
}

}  // namespace kymo::recording
