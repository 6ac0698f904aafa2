// The description of a row type. One description serves the writer, the schema rows in the file and
// the reader; see docs/recording-format.md for the bytes. Usable in the monitor.
//
// A row type is a plain struct with
//     static constexpr const char* kTable;      name, the identity of the table
//     static constexpr std::uint32_t kTableId;  number by which rows name it in files we write; a
//                                               reader uses the name, never the number
//     template <typename V> static constexpr void columns(V&& visit);
// where `columns` calls visit(name, type, unit, &Row::member) once a column, in the order of the bytes.
// Members: std::uint64_t for kUint and kDelta, std::int64_t for kInt, double for kReal,
// std::string_view for kText and kBytes, RawText for a kText that names a file to be opened, std::span<const
// std::uint64_t> for kUintList. Views in a row that was read are valid only inside the callback that receives it.
//
// Columns are only ever added, and only at the end; a reader fills missing ones with zero or
// empty, and ignores columns that it does not know.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace kymo::recording {

// Text that a reader delivers unchanged, printable or not.
struct RawText : std::string_view {
    constexpr RawText() = default;
    template <std::convertible_to<std::string_view> Text>
    constexpr RawText(const Text& text) : std::string_view(text) {}
};

enum class ColumnType : std::uint8_t {
    kUint = 1,      // varint
    kInt = 2,       // zigzag varint
    kDelta = 3,     // zigzag varint of the difference to this column in the table's row before it (same
                    // stream segment of a chunk; 0 before the first)
    kBytes = 4,     // varint length, then bytes
    kText = 5,      // as kBytes; UTF-8 by intention, not by guarantee
    kUintList = 6,  // varint count, then varints
    kReal = 7,      // 8 bytes, IEEE 754 binary64, little-endian
};

}  // namespace kymo::recording
