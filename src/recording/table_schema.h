// A table as a file describes it: what the reader goes by. Names, not numbers, are identities.
#pragma once

#include "base/result.h"
#include "recording/schema.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::recording {

struct Column {
    std::string name;
    ColumnType type = ColumnType::kUint;
    std::string unit;
    bool operator==(const Column&) const = default;
};

struct TableSchema {
    std::uint64_t number = 0;
    std::string name;
    std::vector<Column> columns;
    bool operator==(const TableSchema&) const = default;
};

// The body of a schema row. Nothing when it is malformed: too short, names longer than kMaxNameBytes, more
// columns than kMaxColumns, or an unknown column type (whose length could not be known).
std::optional<TableSchema> parse_schema(std::span<const std::uint8_t> body);

}  // namespace kymo::recording
