#include "ring/answers/asked_cell.h"

#include "base/checksum.h"

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

}  // namespace

std::optional<AskedCell> find_cell(const Snapshot& process, ResourceKind kind, std::uint32_t metric) {
    if ((metric & kByName) == 0) {
        for (const cells::StandardMetric& each : cells::kStandardMetrics) {
            if (each.kind == kind && each.cell == metric) {
                return AskedCell{metric, each.type};
            }
        }
        return AskedCell{metric, MetricType::kCounter};
    }
    for (const ServiceMetric& each : kServiceMetrics) {
        if (kind == ResourceKind::kChannel && code_of(each.name) == metric) {
            return AskedCell{each.cell, each.type, &each};
        }
    }
    for (const cells::Metric& each : process.schema) {
        if (each.kind == kind && code_of(each.name) == metric) {
            return AskedCell{each.cell, each.type};
        }
    }
    return std::nullopt;
}

bool is_among(const AskedCell& cell, ResourceKind kind, const RowValues& row) {
    const auto direction = static_cast<cells::ChannelDirection>(row.key[2]);
    const bool is_own = kind == ResourceKind::kChannel && row.state != RowState::kSum && is_service(direction);
    return cell.service == nullptr ? !is_own : is_own && direction == cell.service->direction;
}

void add_value(const Snapshot& process, const RowValues& row, const AskedCell& cell, Record& record) {
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
        return;  // no object has ended yet
    }
    record.add(value);
}

std::uint32_t metric_code(std::uint8_t kind, std::string_view name) {
    for (const cells::StandardMetric& each : cells::kStandardMetrics) {
        if (static_cast<std::uint8_t>(each.kind) == kind && name == each.name) {
            return each.cell;
        }
    }
    return code_of(name);
}

}  // namespace kymo::ring
