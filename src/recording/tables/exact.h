// Exact occurrences: functions whose calls were all seen (`kymo record --for REC.kymo --exact`). See
// recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::recording {

// A chosen function: hooked, or why not.
struct ExactFunction {
    std::uint64_t function = 0;      // its number in this recording, from 1
    std::string_view name = {};      // as the earlier recording has it
    std::string_view module = {};    // file name of its image
    std::string_view build_id = {};  // raw, of its image
    std::uint64_t offset = 0;        // of its entry in the image
    std::string_view refused = {};   // why it is not hooked, in words that follow its name; empty: it is
    RawText earlier = {};            // absolute path of the recording that it was chosen from

    static constexpr const char* kTable = "exact-function";
    static constexpr std::uint32_t kTableId = 57;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("function", ColumnType::kUint, "", &ExactFunction::function);
        visit("name", ColumnType::kText, "", &ExactFunction::name);
        visit("module", ColumnType::kText, "", &ExactFunction::module);
        visit("build_id", ColumnType::kBytes, "", &ExactFunction::build_id);
        visit("offset", ColumnType::kUint, "address", &ExactFunction::offset);
        visit("refused", ColumnType::kText, "", &ExactFunction::refused);
        visit("earlier", ColumnType::kText, "", &ExactFunction::earlier);
    }
};

// The columns of one call in ExactCalls::slowest, and their number.
enum SlowColumn : std::uint8_t {
    kSlowBegin,        // ns, the file's clock
    kSlowDuration,     // ns
    kSlowCounted,      // 1: what follows is known
    kSlowEarly,        // ns before its begin from which on the rest was counted
    kSlowProcessor,    // ns on processors
    kSlowVoluntary,    // switches: it gave its processor up
    kSlowInvoluntary,  // and lost it
    kSlowMinorFaults,  // page faults without input
    kSlowMajorFaults,  // and with
    kSlowColumns,
};

// A thread's calls of such a function so far. For a stream and a function the last row in the file is valid.
struct ExactCalls {
    std::uint64_t time = 0;
    std::uint64_t stream = 0;  // StreamId
    std::uint64_t function = 0;
    std::uint64_t calls = 0;    // that have begun: outermost ones
    std::uint64_t running = 0;  // of them, not ended yet
    std::uint64_t cut = 0;      // over at an unknown time: longjmp, the thread's end
    std::uint64_t untimed = 0;  // over, and only counted
    std::uint64_t sum_ns = 0;   // durations of all others
    std::span<const std::uint64_t> counts =
        {};  // of them by base/durations/duration_buckets.h: bucket, count, bucket, count …
    std::span<const std::uint64_t> slowest = {};  // of them, kSlowColumns each; in no order

    static constexpr const char* kTable = "exact-calls";
    static constexpr std::uint32_t kTableId = 58;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &ExactCalls::time);
        visit("stream", ColumnType::kUint, "", &ExactCalls::stream);
        visit("function", ColumnType::kUint, "", &ExactCalls::function);
        visit("calls", ColumnType::kUint, "", &ExactCalls::calls);
        visit("running", ColumnType::kUint, "", &ExactCalls::running);
        visit("cut", ColumnType::kUint, "", &ExactCalls::cut);
        visit("untimed", ColumnType::kUint, "", &ExactCalls::untimed);
        visit("sum_ns", ColumnType::kUint, "ns", &ExactCalls::sum_ns);
        visit("counts", ColumnType::kUintList, "", &ExactCalls::counts);
        visit("slowest", ColumnType::kUintList, "", &ExactCalls::slowest);
    }
};

}  // namespace kymo::recording
