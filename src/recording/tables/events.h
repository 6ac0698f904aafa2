// The events that samples count, and what was not available here. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

enum class EventMode : std::uint8_t {
    kCount = 0,      // counted, read with every sample
    kPeriod = 1,     // a sample every `value` events
    kFrequency = 2,  // `value` samples a second requested
};

// The global event list, in order: row i is event i, and deltas in samples follow this order.
// Names with a fixed meaning for the analysis: "task-clock" (ns on a processor, user and system),
// "system-time" (ns in the kernel, where the mechanism can read it).
struct Event {
    std::uint64_t index = 0;
    std::string_view name = {};
    std::string_view unit = {};  // "ns" or "" for a count
    std::uint64_t mode = 0;      // EventMode
    std::uint64_t value = 0;
    std::uint64_t kernel_type = 0;    // perf_event_attr.type
    std::uint64_t kernel_config = 0;  // perf_event_attr.config
    std::uint64_t precise = 0;        // perf_event_attr.precise_ip asked
    std::uint64_t user_only = 0;      // 1: counts user mode only

    static constexpr const char* kTable = "event";
    static constexpr std::uint32_t kTableId = 14;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("index", ColumnType::kUint, "", &Event::index);
        visit("name", ColumnType::kText, "", &Event::name);
        visit("unit", ColumnType::kText, "", &Event::unit);
        visit("mode", ColumnType::kUint, "", &Event::mode);
        visit("value", ColumnType::kUint, "", &Event::value);
        visit("kernel_type", ColumnType::kUint, "", &Event::kernel_type);
        visit("kernel_config", ColumnType::kUint, "", &Event::kernel_config);
        visit("precise", ColumnType::kUint, "", &Event::precise);
        visit("user_only", ColumnType::kUint, "", &Event::user_only);
    }
};

// Something requested or usual that is not available here, and how to get it. Also each step down the
// fallback ladder ("signal buffers used up, reading counters in the handler").
struct Unavailable {
    std::string_view what = {};
    std::string_view why = {};
    std::string_view remedy = {};

    static constexpr const char* kTable = "unavailable";
    static constexpr std::uint32_t kTableId = 15;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("what", ColumnType::kText, "", &Unavailable::what);
        visit("why", ColumnType::kText, "", &Unavailable::why);
        visit("remedy", ColumnType::kText, "", &Unavailable::remedy);
    }
};

}  // namespace kymo::recording
