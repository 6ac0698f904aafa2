#include "ring/answers/answer.h"

#include "base/resource.h"
#include "host/newest_processors.h"
#include "ring/answers/asked_cell.h"

#include <optional>

namespace kymo::ring {
namespace {

using cells::ResourceKind;
using cells::RowState;
using cells::RowValues;
using cells::Snapshot;

bool is_asked(Entry entry, Slot slot, const Snapshot& process, const RowValues& row) {
    if (entry.of != 0) {
        const EntryNumber number = EntryNumber::of(entry.number);
        if (((entry.of & kOfHost) != 0 && number.host != slot) ||
            ((entry.of & kOfProcess) != 0 && number.process != process.pid)) {
            return false;
        }
        entry.number = number.object == EntryNumber::kAll ? kEvery : number.object;
    }
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

void add_processors(const host::Reading& reading, Slot slot, const Entry& entry, Record& record) {
    const auto newest = host::newest_processors(
        reading, [&](const Snapshot& process, const RowValues& row) { return is_asked(entry, slot, process, row); });
    for (const auto& [number, found] : newest) {
        add_value(*found.process, *found.row, *find_cell(*found.process, ResourceKind::kProcessor, entry.metric),
                  record);
    }
}

}  // namespace

void answer(const host::Reading& reading, Slot slot, std::span<const Entry> entries, std::span<Record> records) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const auto kind = static_cast<ResourceKind>(entry.kind);
        if (kind == ResourceKind::kProcessor && (entry.metric & kByName) == 0) {
            add_processors(reading, slot, entry, records[i]);
            continue;
        }
        for (const Snapshot& process : reading.processes) {
            const cells::TableValues* const table = process.table(kind);
            const std::optional<AskedCell> cell = find_cell(process, kind, entry.metric);
            if (cell && cell->service != nullptr && cell->service->is_readers && process.pid != reading.reader) {
                continue;
            }
            for (std::size_t k = 0; table != nullptr && cell && k < table->rows.size(); ++k) {
                if (is_asked(entry, slot, process, table->rows[k]) && is_among(*cell, kind, table->rows[k])) {
                    add_value(process, table->rows[k], *cell, records[i]);
                }
            }
        }
    }
}

}  // namespace kymo::ring
