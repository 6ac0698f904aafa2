// Rows to bytes. Every record in a chunk is: table number (varint), body length (varint), body; the body
// is the columns in the order of Row::columns. Usable in the monitor.
//
// A *record* here is anything with
//     number()        the table number
//     kDeltas         how many kDelta columns it has
//     worst_body()    an upper bound of the body's size, cheap to compute
//     body(bases)     the body's exact size
//     write(at, bases)  the body at `at`, which has room for it; updates the bases; returns its end
// where `bases` are the values of the kDelta columns in the row before, kDeltas of them.
#pragma once

#include "base/varint.h"
#include "recording/format.h"
#include "recording/schema.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace kymo::recording {

constexpr std::size_t varint_bytes(std::uint64_t value) {
    std::size_t bytes = 1;
    for (; value >= 0x80U; value >>= 7U) {
        ++bytes;
    }
    return bytes;
}

inline std::uint8_t* encode_text(std::uint8_t* at, std::string_view text) {
    at = encode_varint(at, text.size());
    if (!text.empty()) {
        std::memcpy(at, text.data(), text.size());
    }
    return at + text.size();
}

constexpr std::size_t text_bytes(std::string_view text) {
    return varint_bytes(text.size()) + text.size();
}

template <typename Row>
constexpr std::size_t count_columns() {
    std::size_t count = 0;
    Row::columns([&](const char*, ColumnType, const char*, auto) { ++count; });
    return count;
}

template <typename Row>
constexpr std::size_t count_deltas() {
    std::size_t count = 0;
    Row::columns(
        [&](const char*, ColumnType type, const char*, auto) { count += type == ColumnType::kDelta ? 1 : 0; });
    return count;
}

namespace detail {

constexpr std::uint64_t zigzag_difference(std::uint64_t value, std::uint64_t base) {
    return zigzag(static_cast<std::int64_t>(value - base));
}

// One overload per member type; the column type matters only for std::uint64_t members.
inline std::size_t worst_column(std::uint64_t) {
    return kMaxVarintBytes;
}
inline std::size_t worst_column(std::int64_t) {
    return kMaxVarintBytes;
}
inline std::size_t worst_column(double) {
    return 8;
}
inline std::size_t worst_column(std::string_view text) {
    return kMaxVarintBytes + text.size();
}
inline std::size_t worst_column(std::span<const std::uint64_t> list) {
    return kMaxVarintBytes * (1 + list.size());
}

inline std::size_t column_bytes(ColumnType type, std::uint64_t value, const std::uint64_t*& base) {
    return varint_bytes(type == ColumnType::kDelta ? zigzag_difference(value, *base++) : value);
}
inline std::size_t column_bytes(ColumnType, std::int64_t value, const std::uint64_t*&) {
    return varint_bytes(zigzag(value));
}
inline std::size_t column_bytes(ColumnType, double, const std::uint64_t*&) {
    return 8;
}
inline std::size_t column_bytes(ColumnType, std::string_view text, const std::uint64_t*&) {
    return text_bytes(text);
}
inline std::size_t column_bytes(ColumnType, std::span<const std::uint64_t> list, const std::uint64_t*&) {
    std::size_t bytes = varint_bytes(list.size());
    for (const std::uint64_t value : list) {
        bytes += varint_bytes(value);
    }
    return bytes;
}

inline std::uint8_t* write_column(std::uint8_t* at, ColumnType type, std::uint64_t value, std::uint64_t*& base) {
    if (type == ColumnType::kDelta) {
        at = encode_varint(at, zigzag_difference(value, *base));
        *base++ = value;
        return at;
    }
    return encode_varint(at, value);
}
inline std::uint8_t* write_column(std::uint8_t* at, ColumnType, std::int64_t value, std::uint64_t*&) {
    return encode_varint(at, zigzag(value));
}
inline std::uint8_t* write_column(std::uint8_t* at, ColumnType, double value, std::uint64_t*&) {
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
}
inline std::uint8_t* write_column(std::uint8_t* at, ColumnType, std::string_view text, std::uint64_t*&) {
    return encode_text(at, text);
}
inline std::uint8_t* write_column(std::uint8_t* at, ColumnType, std::span<const std::uint64_t> list,
                                  std::uint64_t*&) {
    at = encode_varint(at, list.size());
    for (const std::uint64_t value : list) {
        at = encode_varint(at, value);
    }
    return at;
}

}  // namespace detail

// Whether a column is the last one of the row and has nothing to say: readers take what a short body does not reach
// for zero.
template <typename Row, typename Member>
constexpr bool is_omitted(const Row& row, Member member) {
    if constexpr (requires { requires std::is_same_v<Member, std::remove_const_t<decltype(Row::kOmittedIfZero)>>; }) {
        return member == Row::kOmittedIfZero && row.*member == 0;
    } else {
        return false;
    }
}

// A row of table Row.
template <typename Row>
struct RowRecord {
    const Row& row;

    static constexpr std::size_t kDeltas = count_deltas<Row>();
    static constexpr std::uint32_t number() { return Row::kTableId; }

    std::size_t worst_body() const {
        std::size_t bytes = 0;
        Row::columns(
            [&](const char*, ColumnType, const char*, auto member) { bytes += detail::worst_column(row.*member); });
        return bytes;
    }
    std::size_t body(const std::uint64_t* bases) const {
        std::size_t bytes = 0;
        Row::columns([&](const char*, ColumnType type, const char*, auto member) {
            bytes += is_omitted(row, member) ? 0 : detail::column_bytes(type, row.*member, bases);
        });
        return bytes;
    }
    std::uint8_t* write(std::uint8_t* at, std::uint64_t* bases) const {
        Row::columns([&](const char*, ColumnType type, const char*, auto member) {
            at = is_omitted(row, member) ? at : detail::write_column(at, type, row.*member, bases);
        });
        return at;
    }
};

// The row of the schema table that describes table Row.
template <typename Row>
struct SchemaRecord {
    static constexpr std::size_t kDeltas = 0;
    static constexpr std::uint32_t number() { return kSchemaTable; }

    static std::size_t worst_body() { return body(nullptr); }
    static std::size_t body(const std::uint64_t*) {
        std::size_t bytes =
            varint_bytes(Row::kTableId) + text_bytes(Row::kTable) + varint_bytes(count_columns<Row>());
        Row::columns([&](const char* name, ColumnType, const char* unit, auto) {
            bytes += text_bytes(name) + 1 + text_bytes(unit);
        });
        return bytes;
    }
    static std::uint8_t* write(std::uint8_t* at, std::uint64_t*) {
        at = encode_varint(at, Row::kTableId);
        at = encode_text(at, Row::kTable);
        at = encode_varint(at, count_columns<Row>());
        Row::columns([&](const char* name, ColumnType type, const char* unit, auto) {
            at = encode_text(at, name);
            *at++ = static_cast<std::uint8_t>(type);
            at = encode_text(at, unit);
        });
        return at;
    }
};

}  // namespace kymo::recording
