// A second look: a run that measures the code of an earlier recording (`kymo record --for`). See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// One a recording. The earlier one is recognised by its run's begin.
struct Look {
    std::uint64_t time = 0;
    RawText recording = {};        // absolute path of the earlier recording
    std::uint64_t begin = 0;       // time of its run row, on its own clock
    std::string_view events = {};  // requested ones, as on the command line, each ended by a NUL

    static constexpr const char* kTable = "look";
    static constexpr std::uint32_t kTableId = 48;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Look::time);
        visit("recording", ColumnType::kText, "", &Look::recording);
        visit("begin", ColumnType::kUint, "ns", &Look::begin);
        visit("events", ColumnType::kBytes, "", &Look::events);
    }
};

// Written at a stream's end if it had any: samples of further events outside the selected code. They have no
// rows; what they counted is in the deltas of the stream's next sample.
struct LeftOut {
    std::uint64_t stream = 0;  // StreamId
    std::uint64_t samples = 0;

    static constexpr const char* kTable = "left-out";
    static constexpr std::uint32_t kTableId = 49;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("stream", ColumnType::kUint, "", &LeftOut::stream);
        visit("samples", ColumnType::kUint, "", &LeftOut::samples);
    }
};

}  // namespace kymo::recording
