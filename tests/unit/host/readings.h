// Readings of cells made by hand.
#pragma once

#include "cells/standard.h"
#include "host/reading.h"

#include <string>
#include <utility>
#include <vector>

namespace kymo::host::testing {

using cells::ChannelCell;
using cells::MetricType;
using cells::Origin;
using cells::ProcessorCell;
using cells::ResourceKind;
using cells::RowState;
using cells::RowValues;
using cells::Snapshot;
using cells::TaskCell;

inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint32_t kOwn = cells::kFirstNamed;  // of the program's own metric

inline RowValues row(std::uint64_t number, RowState state,
                     std::initializer_list<std::pair<std::uint32_t, std::uint64_t>> values) {
    RowValues made;
    made.number = number;
    made.state = state;
    made.writer = static_cast<std::uint32_t>(number);
    made.begin = number;
    made.name = "t" + std::to_string(number);
    made.cells.resize(cells::kTaskCells);
    for (const auto& [cell, value] : values) {
        made.cells[cell] = value;
    }
    return made;
}

template <typename Cell>
constexpr std::uint32_t at(Cell cell) {
    return cells::index(cell);
}

inline Snapshot process(std::uint32_t pid, ResourceKind kind, std::vector<RowValues> rows) {
    Snapshot made;
    made.pid = pid;
    made.program = "p" + std::to_string(pid);
    made.schema.push_back({ResourceKind::kTask, kOwn, MetricType::kCounter, Origin::kProgram, "bytes", "sent", ""});
    cells::TableValues table;
    table.kind = kind;
    table.cells = cells::kTaskCells;
    table.rows = std::move(rows);
    made.tables.push_back(std::move(table));
    return made;
}

inline Reading reading(std::uint64_t time, std::vector<Snapshot> processes) {
    Reading made;
    made.time = time;
    made.processes = std::move(processes);
    return made;
}

}  // namespace kymo::host::testing
