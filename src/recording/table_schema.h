// A table as a file describes it, for the reader. Names, not numbers, are identities.
#pragma once

#include "recording/schema.h"

#include <cstdint>
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

}  // namespace kymo::recording
