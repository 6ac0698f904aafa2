// Maps a metric's code to a cell of a process's rows, and reads that cell from a row. Shared by the figures of
// tokens and the rows of detail queries.
#pragma once

#include "cells/standard.h"
#include "ring/live/host_reading.h"
#include "ring/live/service_metrics.h"
#include "ring/protocol/layout.h"
#include "ring/protocol/record.h"

#include <map>
#include <optional>
#include <string_view>

namespace kymo::ring {

struct AskedCell {
    std::uint32_t index;
    cells::MetricType type;
    const ServiceMetric* service = nullptr;  // of the ring's own channels; null: of the programs'
};

// A metric's code in an entry: the cell index of a standard metric, otherwise a hash of its name.
std::uint32_t metric_code(std::uint8_t kind, std::string_view name);

// Nothing: the process has no such metric.
std::optional<AskedCell> find_cell(const cells::Snapshot& process, cells::ResourceKind kind, std::uint32_t metric);

// The ring's own channels are kept apart from those of programs. The sum of ended objects belongs to no single
// object.
bool is_among(const AskedCell& cell, cells::ResourceKind kind, const cells::RowValues& row);

// Adds an object's value, or counts it as unknown. Adds nothing without a value: a gauge has none once its object
// is gone.
void add_value(const cells::Snapshot& process, const cells::RowValues& row, const AskedCell& cell, Record& record);

struct FoundProcessor {
    const cells::Snapshot* process = nullptr;
    const cells::RowValues* row = nullptr;
};

// Every launcher fills rows for the same processors: the row filled last counts. Returns those with
// is_asked(process, row), by number.
template <typename IsAsked>
std::map<std::uint64_t, FoundProcessor> newest_processors(const HostReading& reading, IsAsked is_asked) {
    std::map<std::uint64_t, FoundProcessor> newest;
    for (const cells::Snapshot& process : reading.processes) {
        const cells::TableValues* const table = process.table(cells::ResourceKind::kProcessor);
        for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
            const cells::RowValues& row = table->rows[i];
            if (row.state != cells::RowState::kLive || row.filled == 0 || !is_asked(process, row)) {
                continue;
            }
            FoundProcessor& known = newest[row.number];
            if (known.row == nullptr || row.filled > known.row->filled) {
                known = {&process, &row};
            }
        }
    }
    return newest;
}

}  // namespace kymo::ring
