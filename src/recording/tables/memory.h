// The memory of processes over time, as `kymo record` read it from outside. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// The name in `unavailable` rows.
inline constexpr std::string_view kMemoryOverTime = "memory over time";

// The process's memory from `time` on, until its next row. Nothing is written while it stays nearly the same
// (launch/run/resident_rows.h), so a value is exact to the larger of 64 KiB and 1 %.
struct Memory {
    std::uint64_t time = 0;            // of the reading
    std::uint64_t pid = 0;             // in the kernel's numbers
    std::uint64_t resident_bytes = 0;  // 0: the process had ended
    std::uint64_t shared_bytes = 0;    // of them: pages of files, and shared memory

    static constexpr const char* kTable = "memory";
    static constexpr std::uint32_t kTableId = 61;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Memory::time);
        visit("pid", ColumnType::kUint, "", &Memory::pid);
        visit("resident_bytes", ColumnType::kUint, "", &Memory::resident_bytes);
        visit("shared_bytes", ColumnType::kUint, "", &Memory::shared_bytes);
    }
};

}  // namespace kymo::recording
