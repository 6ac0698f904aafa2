#include "ring/answers/rows.h"

#include "base/channels/kind.h"
#include "base/resource.h"
#include "host/newest_processors.h"
#include "ring/answers/asked_cell.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace kymo::ring {
namespace {

using cells::ResourceKind;
using cells::RowState;
using cells::RowValues;
using cells::Snapshot;

// The sources of one table row: a single row of cells, all rows of a process, or those of a channel's threads.
struct Building {
    RowHead head{};
    std::vector<Record> records;
    std::vector<bool> has;         // whether it has that metric
    std::vector<bool> is_maximum;  // whether the largest value counts
};

class Table {
  public:
    explicit Table(const AskedTable& asked) : asked_(asked), kind_(static_cast<ResourceKind>(asked.head.kind)) {}

    void add(const Snapshot& process, const RowValues& row, Building& building) const {
        building.records.resize(asked_.metrics.size());
        building.has.resize(asked_.metrics.size());
        building.is_maximum.resize(asked_.metrics.size());
        for (std::size_t i = 0; i < asked_.metrics.size(); ++i) {
            const auto cell = find_cell(process, kind_, asked_.metrics[i]);
            if (cell && is_among(*cell, kind_, row)) {
                building.has[i] = true;
                building.is_maximum[i] = cell->type == cells::MetricType::kMaximum;
                add_value(process, row, *cell, building.records[i]);
            }
        }
    }

    void put(Building& building) {
        TableRow row{building.head, std::vector<std::uint64_t>(asked_.metrics.size())};
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const Record& record = building.records[i];
            if (!building.has[i] || record.known < record.objects) {
                row.head.unknown |= 1U << i;
                continue;
            }
            row.values[i] = building.is_maximum[i] ? record.greatest : record.sum_low;
            sum += (asked_.head.order >> i & 1U) != 0 ? row.values[i] : 0;
        }
        rows_.push_back({sum, std::move(row)});
    }

    ToldTable take() {
        std::stable_sort(rows_.begin(), rows_.end(), [](const Ranked& a, const Ranked& b) {
            return std::tuple(b.sum, a.row.head.number) < std::tuple(a.sum, b.row.head.number);
        });
        ToldTable told{asked_.head, {}};
        told.head.metrics = static_cast<std::uint16_t>(asked_.metrics.size());
        told.head.there = static_cast<std::uint32_t>(rows_.size());
        rows_.resize(std::min<std::size_t>(rows_.size(), asked_.head.rows));
        told.head.rows = static_cast<std::uint32_t>(rows_.size());
        told.rows.reserve(rows_.size());
        for (Ranked& each : rows_) {
            told.rows.push_back(std::move(each.row));
        }
        return told;
    }

  private:
    struct Ranked {
        std::uint64_t sum;
        TableRow row;
    };
    const AskedTable& asked_;
    ResourceKind kind_;
    std::vector<Ranked> rows_;
};

bool is_service_row(const RowValues& row) {
    return row.state != RowState::kSum && is_service(static_cast<cells::ChannelDirection>(row.key[2]));
}

// No object has ended whose row was reused.
bool is_empty_sum(const RowValues& row) {
    return row.state == RowState::kSum && !row.torn &&
           std::all_of(row.cells.begin(), row.cells.end(), [](std::uint64_t value) { return value == 0; });
}

RowIs state_of(const Snapshot& process, const RowValues& row) {
    if (row.state == RowState::kSum) {
        return RowIs::kSumOfEnded;
    }
    return row.state == RowState::kLive && process.ended == 0 ? RowIs::kThere : RowIs::kEnded;
}

void take_processors(const host::Reading& reading, Table& table) {
    const auto all = [](const auto& /*process*/, const auto& /*row*/) { return true; };
    for (const auto& [number, found] : host::newest_processors(reading, all)) {
        Building building;
        building.head.number = number;
        building.head.objects = 1;
        building.head.state = RowIs::kThere;
        building.head.name = row_name(found.row->name);
        table.add(*found.process, *found.row, building);
        table.put(building);
    }
}

void take_process(const Snapshot& process, const cells::TableValues& rows, Table& table) {
    Building building;
    building.head.number = building.head.process = process.pid;
    building.head.begin = process.made;
    building.head.image = static_cast<std::uint16_t>(process.image);
    building.head.state = process.ended == 0 ? RowIs::kThere : RowIs::kEnded;
    building.head.name = row_name(process.program);
    for (const RowValues& row : rows.rows) {
        building.head.objects += row.state == RowState::kLive ? 1 : 0;
        table.add(process, row, building);
    }
    if (!rows.rows.empty()) {
        table.put(building);
    }
}

void take_threads(const Snapshot& process, const cells::TableValues& rows, Table& table) {
    for (const RowValues& row : rows.rows) {
        if (is_empty_sum(row)) {
            continue;
        }
        Building building;
        building.head.number = row.state == RowState::kSum ? 0 : row.number;
        building.head.begin = row.begin;
        building.head.image = static_cast<std::uint16_t>(process.image);
        building.head.process = process.pid;
        building.head.objects = 1;
        building.head.state = state_of(process, row);
        building.head.name = row_name(row.name);
        table.add(process, row, building);
        table.put(building);
    }
}

void take_channels(const Snapshot& process, const cells::TableValues& rows, Table& table) {
    std::map<std::tuple<bool, std::array<std::uint64_t, 3>>, Building> channels;  // over their threads
    for (const RowValues& row : rows.rows) {
        if (is_empty_sum(row) || is_service_row(row)) {
            continue;
        }
        const bool is_sum = row.state == RowState::kSum;
        Building& building = channels[{is_sum, is_sum ? std::array<std::uint64_t, 3>{} : row.key}];
        RowHead& head = building.head;
        head.communicator = is_sum ? 0 : row.key[0];
        head.peer = is_sum ? kEvery : row.key[1];
        head.direction = is_sum || row.key[2] >= kEndDirections ? 0 : static_cast<std::uint8_t>(row.key[2]);
        head.process = process.pid;
        head.image = static_cast<std::uint16_t>(process.image);
        head.objects = 1;
        // There while one of its threads' rows is.
        if (head.state != RowIs::kThere) {
            head.state = state_of(process, row);
        }
        head.name = row_name(row.name);
        table.add(process, row, building);
    }
    for (auto& [key, building] : channels) {
        table.put(building);
    }
}

}  // namespace

Rows tell_rows(const host::Reading& reading, std::span<const AskedTable> tables) {
    Rows told;
    told.facts.read = reading.time;
    told.facts.unreadable = static_cast<std::uint32_t>(reading.unreadable);
    for (const Snapshot& process : reading.processes) {
        for (const cells::TableValues& rows : process.tables) {
            told.facts.refused += rows.refused;
        }
    }
    for (const AskedTable& asked : tables) {
        Table table(asked);
        const auto kind = static_cast<ResourceKind>(asked.head.kind);
        if (kind == ResourceKind::kProcessor) {
            take_processors(reading, table);
        }
        for (const Snapshot& process : reading.processes) {
            const cells::TableValues* const rows = process.table(kind);
            const bool is_asked = asked.head.process == kEvery || asked.head.process == process.pid;
            if (rows == nullptr || !is_asked || kind == ResourceKind::kProcessor) {
                continue;
            }
            if (kind == ResourceKind::kChannel) {
                take_channels(process, *rows, table);
            } else if (static_cast<ResourceLevel>(asked.head.level) == ResourceLevel::kProcess) {
                take_process(process, *rows, table);
            } else {
                take_threads(process, *rows, table);
            }
        }
        told.tables.push_back(table.take());
    }
    return told;
}

}  // namespace kymo::ring
