// Which event selector of sw_64 counts a request to perf_event_open(2), and so the meaning of Kymo's event names
// there. The selectors are those of the processors' fourth core, as openEuler's Linux has them (arch/sw_64).
#pragma once

#include <cstdint>
#include <linux/perf_event.h>
#include <optional>

namespace kymo::events::sw_64 {

struct Selection {
    std::uint8_t selector = 0;
    std::optional<unsigned> set = {};  // a raw event names its counter set; any will do for the others
};

// By perf_event_attr::type and config: generic hardware and cache events, and raw ones (bits 7–0 the selector, 15–8
// the set). None: the processor has no such event.
std::optional<Selection> select(std::uint32_t type, std::uint64_t config);

inline constexpr std::uint64_t kLastSelector = 0x8d;

}  // namespace kymo::events::sw_64
