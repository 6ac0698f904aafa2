// The cell of a process's rows that a metric's code means, and what a row says in it: what figures of tokens and rows
// of detail queries have in common.
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
    const ServiceMetric* service = nullptr;  // of the ring's own channels; null: of what programs do
};

// A metric's code in an entry: the cell of a standard one, otherwise made from its name.
std::uint32_t metric_code(std::uint8_t kind, std::string_view name);

// Nothing: that process has no such metric.
std::optional<AskedCell> find_cell(const cells::Snapshot& process, cells::ResourceKind kind, std::uint32_t metric);

// The ring's own channels are apart from those of programs; the sums of ended ones are of nobody in particular.
bool is_among(const AskedCell& cell, cells::ResourceKind kind, const cells::RowValues& row);

// Adds an object's value, or that it is not known; nothing where there is none: of gauges, once the object is gone.
void add_value(const cells::Snapshot& process, const cells::RowValues& row, const AskedCell& cell, Record& record);

struct FoundProcessor {
    const cells::Snapshot* process = nullptr;
    const cells::RowValues* row = nullptr;
};

// Every launcher fills rows of the same processors: the one that was filled last counts. Those of which
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
