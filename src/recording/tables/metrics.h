// Metrics: 64-bit cells of tasks, processors and channels, read from outside at intervals. For their writers and
// readers; not among the monitor's own tables (recording/tables.h).
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <string_view>

namespace kymo::recording {

// A metric that rows of metric-value belong to. Values of kind, type and origin are those of docs/cells-format.md.
struct MetricRow {
    std::uint64_t number = 0;  // in this file
    std::uint64_t kind = 0;    // 1 task, 2 processor, 3 channel
    std::string_view name = {};
    std::string_view unit = {};
    std::uint64_t type = 0;    // 1 counter, 2 gauge, 3 maximum
    std::uint64_t origin = 0;  // 1 standard, 2 the program's own, 3 a metric description, 4 a library of Kymo
    std::string_view description = {};
    std::uint64_t total = 0;  // MetricTotal: 0 as its type says, 1 sum, 2 mean, 3 minimum, 4 maximum
    std::uint64_t per = 0;    // the level shown beside it: 0 the objects, 1 processes, 2 hosts, 3 the system

    static constexpr const char* kTable = "metric";
    static constexpr std::uint32_t kTableId = 50;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("number", ColumnType::kUint, "", &MetricRow::number);
        visit("kind", ColumnType::kUint, "", &MetricRow::kind);
        visit("name", ColumnType::kText, "", &MetricRow::name);
        visit("unit", ColumnType::kText, "", &MetricRow::unit);
        visit("type", ColumnType::kUint, "", &MetricRow::type);
        visit("origin", ColumnType::kUint, "", &MetricRow::origin);
        visit("description", ColumnType::kText, "", &MetricRow::description);
        visit("total", ColumnType::kUint, "", &MetricRow::total);
        visit("per", ColumnType::kUint, "", &MetricRow::per);
    }
};

// Number of the object that represents all of a kind on the file's host.
inline constexpr std::uint64_t kAllObjects = ~std::uint64_t{0};

// The owner of values: a thread, a processor, a channel, or (number 0 of kind 1) the ended threads of a process that
// have no place of their own any more.
struct MetricObject {
    std::uint64_t object = 0;  // in this file
    std::uint64_t kind = 0;
    std::uint64_t pid = 0;           // 0: not of a process
    std::uint64_t number = 0;        // thread id, processor, channel
    std::uint64_t communicator = 0;  // these three of channels
    std::uint64_t peer = 0;
    std::uint64_t direction = 0;
    std::uint64_t begin = 0;
    std::string_view name = {};
    std::uint64_t thread = 0;       // of a channel: the thread that counts; 0: not known
    std::string_view program = {};  // the program of its process; empty: not known

    static constexpr const char* kTable = "metric-object";
    static constexpr std::uint32_t kTableId = 51;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("object", ColumnType::kUint, "", &MetricObject::object);
        visit("kind", ColumnType::kUint, "", &MetricObject::kind);
        visit("pid", ColumnType::kUint, "", &MetricObject::pid);
        visit("number", ColumnType::kUint, "", &MetricObject::number);
        visit("communicator", ColumnType::kUint, "", &MetricObject::communicator);
        visit("peer", ColumnType::kUint, "", &MetricObject::peer);
        visit("direction", ColumnType::kUint, "", &MetricObject::direction);
        visit("begin", ColumnType::kUint, "ns", &MetricObject::begin);
        visit("name", ColumnType::kText, "", &MetricObject::name);
        visit("thread", ColumnType::kUint, "", &MetricObject::thread);
        visit("program", ColumnType::kText, "", &MetricObject::program);
    }
};

// A cell's value as of `time`; nothing is written while it does not change. Counters begin at 0 with their object.
struct MetricValue {
    std::uint64_t time = 0;
    std::uint64_t metric = 0;
    std::uint64_t object = 0;
    std::uint64_t value = 0;

    static constexpr const char* kTable = "metric-value";
    static constexpr std::uint32_t kTableId = 52;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &MetricValue::time);
        visit("metric", ColumnType::kUint, "", &MetricValue::metric);
        visit("object", ColumnType::kUint, "", &MetricValue::object);
        visit("value", ColumnType::kUint, "", &MetricValue::value);
    }
};

// Calls visit.template operator()<Row>() once for each of these row types.
template <typename V>
constexpr void for_each_metric_row(V&& visit) {
    visit.template operator()<MetricRow>();
    visit.template operator()<MetricObject>();
    visit.template operator()<MetricValue>();
}

}  // namespace kymo::recording
