#include "recording/parse_schema.h"

#include "recording/decode.h"
#include "recording/format.h"

#include <string_view>

namespace kymo::recording {

namespace {

bool read_name(const std::uint8_t*& at, const std::uint8_t* end, std::string& name) {
    std::string_view text;
    if (!detail::read_text(at, end, text) || text.size() > kMaxNameBytes) {
        return false;
    }
    name = text;
    return true;
}

}  // namespace

std::optional<TableSchema> parse_schema(std::span<const std::uint8_t> body) {
    const std::uint8_t* at = body.data();
    const std::uint8_t* const end = at + body.size();
    TableSchema schema;
    std::uint64_t columns = 0;
    if (!detail::read_varint(at, end, schema.number) || !read_name(at, end, schema.name) ||
        !detail::read_varint(at, end, columns) || columns > kMaxColumns || schema.name.empty()) {
        return std::nullopt;
    }
    bool readable = true;
    for (; columns != 0; --columns) {
        Column column;
        if (!read_name(at, end, column.name) || at == end) {
            return std::nullopt;
        }
        const std::uint8_t type = *at++;
        if (!read_name(at, end, column.unit)) {
            return std::nullopt;
        }
        readable = readable && type >= static_cast<std::uint8_t>(ColumnType::kUint) &&
                   type <= static_cast<std::uint8_t>(ColumnType::kReal);
        if (readable) {
            column.type = static_cast<ColumnType>(type);
            schema.columns.push_back(std::move(column));
        }
    }
    return schema;
}

}  // namespace kymo::recording
