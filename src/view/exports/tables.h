// A recording as tables: the same for every format that has tables, and for `kymo sql`. docs/sql.md describes them.
//
// Rows of small tables come first, those of `sample` and `piece` as the recording is read.
#pragma once

#include "view/exports/run.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace kymo::view {

enum class CellType : std::uint8_t { kInteger, kReal, kText };

struct TableColumn {
    std::string_view name;
    CellType type = CellType::kInteger;
    std::string_view references = {};  // the table whose `id` it is; empty: none
    bool is_indexed = false;
};

struct TableShape {
    std::string_view name;
    std::span<const TableColumn> columns;  // the first is the key if it is called "id"
};

// Missing values are monostate.
using TableCell = std::variant<std::monostate, std::int64_t, double, std::string_view>;

class TableSink {
  public:
    virtual ~TableSink() = default;
    // Once for every table, in the order of table_shapes(), before any row.
    virtual Result<void> begin(std::size_t table, const TableShape& shape) = 0;
    // As many cells as columns; texts live until the call returns. Errors are kept until the end.
    virtual void row(std::size_t table, std::span<const TableCell> cells) = 0;
};

std::span<const TableShape> table_shapes();

// Which tables get rows, by name; empty: all do.
using WantedTables = std::function<bool(std::string_view)>;

// Errors: as walk_run(), and the sink's begin().
Result<void> write_tables(const ExportRun& run, TableSink& sink, const WantedTables& wanted);

}  // namespace kymo::view
