// Flows of imported traces: what leads from one thread to another. For their writer and readers; not among the
// monitor's own tables (recording/tables.h).
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// From a moment in one thread to a later one in another, or in the same: a task that is posted and then runs, a
// message that is sent and received. In the run's own file, by `time`.
struct Flow {
    std::uint64_t time = 0;   // it arrived
    std::uint64_t begin = 0;  // it left
    std::uint64_t from_pid = 0;
    std::uint64_t from_tid = 0;
    std::uint64_t to_pid = 0;
    std::uint64_t to_tid = 0;
    std::string_view name = {};  // as the trace has it; may be empty

    static constexpr const char* kTable = "flow";
    static constexpr std::uint32_t kTableId = 67;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Flow::time);
        visit("begin", ColumnType::kDelta, "ns", &Flow::begin);
        visit("from_pid", ColumnType::kUint, "", &Flow::from_pid);
        visit("from_tid", ColumnType::kUint, "", &Flow::from_tid);
        visit("to_pid", ColumnType::kUint, "", &Flow::to_pid);
        visit("to_tid", ColumnType::kUint, "", &Flow::to_tid);
        visit("name", ColumnType::kText, "", &Flow::name);
    }
};

}  // namespace kymo::recording
