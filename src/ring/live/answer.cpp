#include "ring/live/answer.h"

#include "base/checksum.h"
#include "base/resource.h"
#include "cells/standard.h"
#include "ring/live/service_metrics.h"

#include <map>
#include <optional>

namespace kymo::ring {
namespace {

using cells::MetricType;
using cells::ResourceKind;
using cells::RowState;
using cells::RowValues;
using cells::Snapshot;

std::uint32_t code_of(std::string_view name) {
    return kByName | crc32c(name.data(), name.size());
}

struct Cell {
    std::uint32_t index;
    MetricType type;
    const ServiceMetric* service = nullptr;  // of the ring's own channels; null: of what programs do
};

// Nothing: that process has no such metric.
std::optional<Cell> find(const Snapshot& process, ResourceKind kind, std::uint32_t metric) {
    if ((metric & kByName) == 0) {
        for (const cells::StandardMetric& each : cells::kStandardMetrics) {
            if (each.kind == kind && each.cell == metric) {
                return Cell{metric, each.type};
            }
        }
        return Cell{metric, MetricType::kCounter};
    }
    for (const ServiceMetric& each : kServiceMetrics) {
        if (kind == ResourceKind::kChannel && code_of(each.name) == metric) {
            return Cell{each.cell, each.type, &each};
        }
    }
    for (const cells::Metric& each : process.schema) {
        if (each.kind == kind && code_of(each.name) == metric) {
            return Cell{each.cell, each.type};
        }
    }
    return std::nullopt;
}

// The ring's own channels are apart from those of programs; the sums of ended ones are of nobody in particular.
bool is_among(const Cell& cell, ResourceKind kind, const RowValues& row) {
    const auto direction = static_cast<cells::ChannelDirection>(row.key[2]);
    const bool is_own = kind == ResourceKind::kChannel && row.state != RowState::kSum && is_service(direction);
    return cell.service == nullptr ? !is_own : is_own && direction == cell.service->direction;
}

bool is_asked(const Entry& entry, Slot slot, const Snapshot& process, const RowValues& row) {
    if (entry.number == kEvery) {
        return true;
    }
    switch (static_cast<ResourceLevel>(entry.level)) {
        case ResourceLevel::kObject:
            return entry.number == row.number && row.state != RowState::kSum;
        case ResourceLevel::kProcess:
            return entry.number == process.pid;
        case ResourceLevel::kHost:
            return entry.number == slot;
        case ResourceLevel::kSystem:
            break;
    }
    return entry.number == 0;
}

void add(const Snapshot& process, const RowValues& row, const Cell& cell, Record& record) {
    const bool is_live = row.state == RowState::kLive;
    if (cell.type == MetricType::kGauge && !is_live) {
        return;
    }
    if (cell.index >= row.cells.size() || row.torn) {
        return record.add_unknown();
    }
    std::uint64_t value = row.cells[cell.index];
    for (const cells::RunningTimer& timer : row.running) {
        value += timer.cell == cell.index && is_live && process.ended == 0 ? timer.so_far : 0;
    }
    if (row.state == RowState::kSum && value == 0) {
        return;  // nobody has ended yet
    }
    record.add(value);
}

// Every launcher fills rows of the same processors: the one that was filled last counts.
void add_processors(const HostReading& reading, Slot slot, const Entry& entry, Record& record) {
    std::map<std::uint64_t, std::pair<const Snapshot*, const RowValues*>> newest;
    for (const Snapshot& process : reading.processes) {
        const cells::TableValues* const table = process.table(ResourceKind::kProcessor);
        for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
            const RowValues& row = table->rows[i];
            auto& known = newest[row.number];
            if (row.state == RowState::kLive && row.filled != 0 && is_asked(entry, slot, process, row) &&
                (known.second == nullptr || row.filled > known.second->filled)) {
                known = {&process, &row};
            }
        }
    }
    for (const auto& [number, found] : newest) {
        if (found.second != nullptr) {
            add(*found.first, *found.second, *find(*found.first, ResourceKind::kProcessor, entry.metric), record);
        }
    }
}

}  // namespace

std::uint32_t metric_code(std::uint8_t kind, std::string_view name) {
    for (const cells::StandardMetric& each : cells::kStandardMetrics) {
        if (static_cast<std::uint8_t>(each.kind) == kind && name == each.name) {
            return each.cell;
        }
    }
    return code_of(name);
}

void answer(const HostReading& reading, Slot slot, std::span<const Entry> entries, std::span<Record> records) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const auto kind = static_cast<ResourceKind>(entry.kind);
        if (kind == ResourceKind::kProcessor && (entry.metric & kByName) == 0) {
            add_processors(reading, slot, entry, records[i]);
            continue;
        }
        for (const Snapshot& process : reading.processes) {
            const cells::TableValues* const table = process.table(kind);
            const std::optional<Cell> cell = find(process, kind, entry.metric);
            for (std::size_t k = 0; table != nullptr && cell && k < table->rows.size(); ++k) {
                if (is_asked(entry, slot, process, table->rows[k]) && is_among(*cell, kind, table->rows[k])) {
                    add(process, table->rows[k], *cell, records[i]);
                }
            }
        }
    }
}

}  // namespace kymo::ring
