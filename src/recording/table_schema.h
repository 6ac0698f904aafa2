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

// The body of a schema row. Nothing when it is malformed: too short, without a name, a name longer than
// kMaxNameBytes, or more columns than kMaxColumns. Columns from the first one of an unknown type on are left
// out: their place in a row cannot be known.
std::optional<TableSchema> parse_schema(std::span<const std::uint8_t> body);

}  // namespace kymo::recording
