// Maps a metric's code to a cell of a process's rows, and reads that cell from a row. Shared by the figures of
// tokens and the rows of detail queries.
#pragma once

#include "cells/standard.h"
#include "host/reading.h"
#include "ring/protocol/layout.h"
#include "ring/protocol/record.h"
#include "ring/transport/service_metrics.h"

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

}  // namespace kymo::ring
