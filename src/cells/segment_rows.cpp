// A segment's rows and its schema.
#include "cells/fixed_text.h"
#include "cells/primitives.h"
#include "cells/segment.h"

namespace kymo::cells {

TableHeader* Segment::table_of(ResourceKind kind) {
    for (TableHeader& table : head().tables) {
        if (table.kind == static_cast<std::uint32_t>(kind) && table.kind != 0) {
            return &table;
        }
    }
    return nullptr;
}

Row& Segment::row_at(const TableHeader& table, std::uint32_t number) {
    return *reinterpret_cast<Row*>(base_ + table.offset + std::uint64_t{number} * table.row_bytes);
}

void Segment::rename(Row& row, const Object& object) {
    const TableHeader& table = *table_of(object.kind);
    const std::uint64_t generation = __atomic_load_n(&row.generation, __ATOMIC_RELAXED) | 1U;
    __atomic_store_n(&row.generation, generation, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __builtin_memset(cells_of(row), 0, table.row_bytes - sizeof(Row));
    row.number = object.number;
    __builtin_memcpy(row.key, object.key, sizeof row.key);
    row.begin = object.begin;
    row.end = 0;
    row.writer = object.writer;
    row.filled = 0;
    copy_text(row.name, sizeof row.name, object.name);
    __atomic_store_n(&row.state, static_cast<std::uint32_t>(RowState::kLive), __ATOMIC_RELAXED);
    __atomic_store_n(&row.generation, generation + 1, __ATOMIC_RELEASE);
}

Row* Segment::take(const Object& object) {
    const Locked locked(lock_);
    TableHeader* table = table_of(object.kind);
    if (table == nullptr) {
        return nullptr;
    }
    Row* row = nullptr;
    if (table->used < table->rows && populate(*table, table->used)) {
        row = &row_at(*table, table->used);
        rename(*row, object);
        __atomic_store_n(&table->used, table->used + 1, __ATOMIC_RELEASE);
        return row;
    }
    row = reuse(*table);
    if (row == nullptr) {
        __atomic_store_n(&table->refused, table->refused + 1, __ATOMIC_RELAXED);
        return nullptr;
    }
    rename(*row, object);
    return row;
}

// The row of an object that has ended, the oldest first as far as rows were taken in order.
Row* Segment::reuse(TableHeader& table) {
    std::uint32_t& next = next_reuse_[&table - head().tables];
    for (std::uint32_t tried = 1; tried < table.used; ++tried) {
        next = next < table.used ? next : 1;
        Row& row = row_at(table, next++);
        const auto state = static_cast<RowState>(__atomic_load_n(&row.state, __ATOMIC_ACQUIRE));
        if (state == RowState::kEnded) {
            fold(table, row);
        }
        if (state == RowState::kEnded || state == RowState::kFree) {
            return &row;
        }
    }
    return nullptr;
}

void Segment::fold(TableHeader& table, Row& row) {
    const MetricType* types = types_[&table - head().tables];
    std::uint64_t* sums = cells_of(row_at(table, 0));
    const std::uint64_t* values = cells_of(row);
    __atomic_store_n(&table.folds, table.folds + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (std::uint32_t i = 1; i < table.cells; ++i) {
        const std::uint64_t value = load(values[i]);
        if (types[i] == MetricType::kCounter) {
            store(sums[i], sums[i] + value);
        } else if (types[i] == MetricType::kMaximum && value > sums[i]) {
            store(sums[i], value);
        }
    }
    __atomic_store_n(&row.generation, row.generation | 1U, __ATOMIC_RELAXED);
    __atomic_store_n(&row.state, static_cast<std::uint32_t>(RowState::kTaken), __ATOMIC_RELAXED);
    __atomic_store_n(&table.folds, table.folds + 1, __ATOMIC_RELEASE);
}

void Segment::end(Row& row, std::uint64_t now) {
    const TableHeader* table = nullptr;
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<std::uint8_t*>(&row) - base_);
    for (const TableHeader& each : head().tables) {
        if (each.kind != 0 && at >= each.offset && at < each.offset + std::uint64_t{each.rows} * each.row_bytes) {
            table = &each;
        }
    }
    if (table == nullptr) {
        return;
    }
    const TickRate rate{static_cast<TickKind>(head().tick_kind), head().tick_shift, head().tick_multiplier};
    const Task task{cells_of(row), timers_of(row, table->cells), &rate, nullptr};
    for (std::uint32_t i = 0; i < table->timers; ++i) {
        if (task.timers[i].depth > 0) {
            task.timers[i].depth = 1;
            stop(task, i);
        }
    }
    row.end = now;
    __atomic_store_n(&row.state, static_cast<std::uint32_t>(RowState::kEnded), __ATOMIC_RELEASE);
}

// ---- schema ---------------------------------------------------------------------------------------------------

bool Segment::enter(std::uint32_t cell, const NewCell& what) {
    const TableHeader* table = table_of(what.kind);
    const std::uint32_t used = head().schema_used;
    if (table == nullptr || used >= kSchemaCapacity || cell == kNoCell || cell >= table->cells) {
        return false;
    }
    SchemaEntry& entry = schema()[used];
    entry.kind = static_cast<std::uint32_t>(what.kind);
    entry.cell = cell;
    entry.type = static_cast<std::uint8_t>(what.type);
    entry.origin = static_cast<std::uint8_t>(what.origin);
    entry.total = what.total;
    entry.per = what.per;
    copy_text(entry.unit, sizeof entry.unit, what.unit);
    copy_text(entry.name, sizeof entry.name, what.name);
    copy_text(entry.description, sizeof entry.description, what.description);
    const auto number = table - head().tables;
    types_[number][cell] = what.type;
    if (cell >= next_named_[number]) {
        next_named_[number] = cell + 1;
    }
    __atomic_store_n(&head().schema_used, used + 1, __ATOMIC_RELEASE);
    return true;
}

bool Segment::describe(std::uint32_t cell, const NewCell& what) {
    const Locked locked(lock_);
    return enter(cell, what);
}

std::uint32_t Segment::named_cell(const NewCell& cell) {
    const Locked locked(lock_);
    const TableHeader* table = table_of(cell.kind);
    if (table == nullptr || cell.name.empty()) {
        return kNoCell;
    }
    const SchemaEntry* entries = schema();
    for (std::uint32_t i = 0; i < head().schema_used; ++i) {
        if (entries[i].kind == table->kind && same_text(entries[i].name, sizeof entries[i].name, cell.name)) {
            return entries[i].cell;
        }
    }
    const std::uint32_t free = next_named_[table - head().tables];
    return free < table->cells && enter(free, cell) ? free : kNoCell;
}

}  // namespace kymo::cells
