#include "metrics/series.h"

#include "cells/standard.h"
#include "recording/tables/metrics.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kymo::metrics {
namespace {

using cells::MetricType;
using cells::Origin;
using cells::ResourceKind;
using cells::RowState;
using cells::RowValues;
using cells::TableValues;

// The present value of a row's cell, including a running timer's time and time off the processor. Timers run until
// the process ends; if that time is not known (a signal, an exec), until the previous reading, `read`, when it
// still existed.
std::uint64_t value_now(const cells::Snapshot& snapshot, const TableValues& table, const RowValues& row,
                        std::uint32_t cell, bool last, std::uint64_t read) {
    std::uint64_t value = row.cells[cell];
    if (row.state != RowState::kLive) {
        return value;
    }
    const std::uint64_t unseen = last && snapshot.ended == 0 ? snapshot.time - std::min(read, snapshot.time) : 0;
    for (const cells::RunningTimer& timer : row.running) {
        value += timer.cell == cell && timer.so_far > unseen ? timer.so_far - unseen : 0;
    }
    if (last) {
        return value;
    }
    if (table.kind == ResourceKind::kTask && cell == index(cells::TaskCell::kOffCpu) && row.filled != 0 &&
        snapshot.time > row.filled) {
        value += snapshot.time - row.filled;
    }
    return value;
}

// The program's cells that it uses by index have no name in the schema.
cells::Metric indexed_metric(const TableValues& table, std::uint32_t cell) {
    cells::Metric metric;
    metric.kind = table.kind;
    metric.cell = cell;
    metric.name = "cell " + std::to_string(cell - table.first_indexed);
    return metric;
}

std::vector<cells::Metric> metrics_of(const cells::Snapshot& snapshot, const TableValues& table) {
    std::vector<cells::Metric> all;
    std::vector<char> named(table.cells, 0);
    for (const cells::Metric& metric : snapshot.schema) {
        if (metric.kind == table.kind && metric.cell < table.cells && metric.cell != 0) {
            named[metric.cell] = 1;
            all.push_back(metric);
        }
    }
    for (std::uint32_t cell = table.first_indexed; cell < table.first_indexed + table.indexed; ++cell) {
        if (named[cell] == 0) {
            all.push_back(indexed_metric(table, cell));
        }
    }
    return all;
}

}  // namespace

std::uint64_t Series::metric_number(const cells::Metric& metric, recording::StreamWriter& rows) {
    const auto [entry, is_new] = metrics_.try_emplace({metric.kind, metric.name}, metrics_.size() + 1);
    if (is_new) {
        recording::MetricRow row;
        row.number = entry->second;
        row.kind = static_cast<std::uint64_t>(metric.kind);
        row.name = metric.name;
        row.unit = metric.unit;
        row.type = static_cast<std::uint64_t>(metric.type);
        row.origin = static_cast<std::uint64_t>(metric.origin);
        row.description = metric.description;
        row.total = static_cast<std::uint64_t>(metric.total);
        row.per = metric.per;
        rows.append(row);
    }
    return entry->second;
}

std::uint64_t Series::object_number(const cells::Snapshot& snapshot, const TableValues& table, const RowValues& row,
                                    recording::StreamWriter& rows) {
    const ObjectKey key{snapshot.pid, snapshot.image, table.kind, row.number, row.writer, row.begin};
    const auto [entry, is_new] = objects_.try_emplace(key, objects_.size() + 1);
    if (is_new) {
        recording::MetricObject object;
        object.object = entry->second;
        object.kind = static_cast<std::uint64_t>(table.kind);
        object.pid = table.kind == ResourceKind::kProcessor ? 0 : snapshot.pid;
        object.number = row.number;
        object.communicator = row.key[0];
        object.peer = row.key[1];
        object.direction = row.key[2];
        object.begin = row.begin;
        object.name = row.name;
        if (table.kind == ResourceKind::kChannel) {
            object.thread = row.writer;
            object.program = snapshot.program;
        }
        rows.append(object);
    }
    return entry->second;
}

void Series::write(const cells::Snapshot& snapshot, bool last, recording::StreamWriter& rows) {
    if (!described_) {
        described_ = true;
        recording::write_schema<recording::MetricRow>(rows);
        recording::write_schema<recording::MetricObject>(rows);
        recording::write_schema<recording::MetricValue>(rows);
    }
    const std::uint64_t read = std::exchange(read_[{snapshot.pid, snapshot.image}], snapshot.time);  // before this
    for (const TableValues& table : snapshot.tables) {
        const std::vector<cells::Metric> metrics = metrics_of(snapshot, table);
        for (const RowValues& row : table.rows) {
            const bool ended = last || row.state == RowState::kEnded;
            const bool is_object = row.state != RowState::kSum;
            std::uint64_t object = 0;
            for (const cells::Metric& metric : metrics) {
                const bool standard_of_task = table.kind == ResourceKind::kTask && metric.origin == Origin::kStandard;
                if (standard_of_task && !ended) {
                    continue;
                }
                const std::uint64_t value = value_now(snapshot, table, row, metric.cell, last, read);
                if (value == 0 && object == 0 && (metric.origin != Origin::kDescription || !is_object)) {
                    continue;  // an object gets a row with its first value
                }
                object = object != 0 ? object : object_number(snapshot, table, row, rows);
                const std::uint64_t number = metric_number(metric, rows);
                const std::uint64_t now = ended && row.end != 0 ? row.end : snapshot.time;
                const auto [known, is_new] = values_.try_emplace(object << 16U | number, Written{value, now});
                if (!is_new && known->second.value == value) {
                    continue;
                }
                if (is_new && value == 0 && (metric.origin != Origin::kDescription || !is_object)) {
                    values_.erase(known);
                    continue;
                }
                recording::MetricValue change;
                change.metric = number;
                change.object = object;
                if (!is_new && known->second.time < read && read < now) {
                    change.time = read;
                    change.value = known->second.value;
                    rows.append(change);
                }
                change.time = now;
                change.value = value;
                rows.append(change);
                known->second = {value, now};
            }
        }
    }
}

}  // namespace kymo::metrics
