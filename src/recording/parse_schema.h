// Schema rows of a file.
#pragma once

#include "recording/table_schema.h"

#include <cstdint>
#include <optional>
#include <span>

namespace kymo::recording {

// The body of a schema row. None if it is malformed: too short, without a name, a name longer than
// kMaxNameBytes, or more columns than kMaxColumns. Columns from the first one of an unknown type on are left
// out: their place in a row is not known.
std::optional<TableSchema> parse_schema(std::span<const std::uint8_t> body);

}  // namespace kymo::recording
