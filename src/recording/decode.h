// Bytes to rows. A RowDecoder<Row, Callback> is made for one table of one file: it joins the file's columns
// with the members of Row by name, and calls back with every row. Bodies come from outside: nothing is read
// beyond their end, and a malformed one is refused as a whole.
//
// Rules (docs/recording-format.md): columns the file has and Row lacks are skipped; columns the file lacks,
// or that a short body does not reach, are zero or empty; so are columns whose type does not fit the member. Texts
// are delivered clean (base/clean_text.h): names in the program must not control a terminal or a page.
#pragma once

#include "base/clean_text.h"
#include "base/ids.h"
#include "base/varint.h"
#include "recording/encode.h"
#include "recording/table_schema.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kymo::recording {

// Where a row comes from: `segment` changes whenever all bases of kDelta columns restart at 0.
struct RowPlace {
    StreamId stream{0};
    std::uint64_t segment = 0;
    bool is_behind_gap = false;  // samples before it were left out (File::set_excerpt())
};

class AnyDecoder {
  public:
    AnyDecoder() = default;
    AnyDecoder(const AnyDecoder&) = delete;
    AnyDecoder& operator=(const AnyDecoder&) = delete;
    virtual ~AnyDecoder() = default;
    // False: the body is malformed; nothing was delivered.
    virtual bool row(const RowPlace& place, const std::uint8_t* at, const std::uint8_t* end) = 0;
};

// What scan() takes: makes decoders for the tables it cares for.
class AnyHandler {
  public:
    AnyHandler() = default;
    AnyHandler(const AnyHandler&) = delete;
    AnyHandler& operator=(const AnyHandler&) = delete;
    virtual ~AnyHandler() = default;
    // Null: not interested. The handler must outlive the decoder.
    virtual std::unique_ptr<AnyDecoder> decoder(const TableSchema& table) = 0;
};

namespace detail {

// As decode_varint. Lengths up to four bytes, all but a few of them, go by branches, which the processor predicts
// well: a version without branches, eight bytes at once, took twice as long since each value waits for the last one's
// length.
[[gnu::always_inline]] inline bool read_varint(const std::uint8_t*& at, const std::uint8_t* end,
                                               std::uint64_t& value) {
    if (at != end && *at < 0x80U) {
        value = *at++;
        return true;
    }
    if (end - at >= 4) {
        const std::uint64_t two = (at[0] & 0x7FU) | static_cast<std::uint64_t>(at[1] & 0x7FU) << 7U;
        if (at[1] < 0x80U) {
            value = two;
            at += 2;
            return true;
        }
        const std::uint64_t three = two | static_cast<std::uint64_t>(at[2] & 0x7FU) << 14U;
        if (at[2] < 0x80U) {
            value = three;
            at += 3;
            return true;
        }
        if (at[3] < 0x80U) {
            value = three | static_cast<std::uint64_t>(at[3]) << 21U;
            at += 4;
            return true;
        }
    }
    return decode_varint(&at, end, &value);
}

inline bool read_text(const std::uint8_t*& at, const std::uint8_t* end, std::string_view& text) {
    std::uint64_t size = 0;
    if (!read_varint(at, end, size) || size > static_cast<std::uint64_t>(end - at)) {
        return false;
    }
    text = {reinterpret_cast<const char*>(at), static_cast<std::size_t>(size)};
    at += size;
    return true;
}

// Reads a list into `store`, which keeps the values while the row is delivered.
inline bool read_list(const std::uint8_t*& at, const std::uint8_t* end, std::vector<std::uint64_t>& store,
                      std::span<const std::uint64_t>& list) {
    std::uint64_t count = 0;
    // A value takes a byte at least, so the bytes at hand bound the memory.
    if (!read_varint(at, end, count) || count > static_cast<std::uint64_t>(end - at)) {
        return false;
    }
    if (store.size() < count) {
        store.resize(static_cast<std::size_t>(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!read_varint(at, end, store[i])) {
            return false;
        }
    }
    list = {store.data(), static_cast<std::size_t>(count)};
    return true;
}

inline bool skip_column(ColumnType type, const std::uint8_t*& at, const std::uint8_t* end) {
    std::uint64_t value = 0;
    std::string_view text;
    switch (type) {
        case ColumnType::kUint:
        case ColumnType::kInt:
        case ColumnType::kDelta:
            return read_varint(at, end, value);
        case ColumnType::kBytes:
        case ColumnType::kText:
            return read_text(at, end, text);
        case ColumnType::kUintList:
            if (!read_varint(at, end, value)) {
                return false;
            }
            for (; value != 0; --value) {
                std::uint64_t element = 0;
                if (!read_varint(at, end, element)) {
                    return false;
                }
            }
            return true;
        case ColumnType::kReal:
            if (end - at < 8) {
                return false;
            }
            at += 8;
            return true;
    }
    return false;
}

constexpr bool fits(ColumnType type, const std::uint64_t*) {
    return type == ColumnType::kUint || type == ColumnType::kDelta;
}
constexpr bool fits(ColumnType type, const std::int64_t*) {
    return type == ColumnType::kInt;
}
constexpr bool fits(ColumnType type, const double*) {
    return type == ColumnType::kReal;
}
constexpr bool fits(ColumnType type, const std::string_view*) {
    return type == ColumnType::kText || type == ColumnType::kBytes;
}
constexpr bool fits(ColumnType type, const std::span<const std::uint64_t>*) {
    return type == ColumnType::kUintList;
}

}  // namespace detail

template <typename Row, typename Callback>
class RowDecoder final : public AnyDecoder {
  public:
    RowDecoder(const TableSchema& table, Callback& callback) : callback_(callback) {
        types_.reserve(table.columns.size());
        for (const Column& column : table.columns) {
            types_.push_back(column.type);
            members_.push_back(member_for(column));
        }
        bases_.resize(table.columns.size());
        lists_.resize(table.columns.size());
        // The usual case: the file's columns begin with Row's own, or Row's own begin with the file's.
        as_written_ = true;
        for (std::size_t i = 0; i < members_.size() && i < kColumns; ++i) {
            as_written_ = as_written_ && members_[i] == static_cast<int>(i) && types_[i] == kTypes[i];
        }
    }

    bool row(const RowPlace& place, const std::uint8_t* at, const std::uint8_t* end) override {
        if (place.segment != segment_) {
            segment_ = place.segment;
            bases_.assign(bases_.size(), 0);
        }
        Row row;
        if (!(as_written_ ? read_as_written(row, at, end) : read_by_name(row, at, end))) {
            return false;
        }
        if constexpr (requires { Row::kBehindGap; }) {
            row.flags |= place.is_behind_gap ? Row::kBehindGap : 0;
        }
        callback_(place.stream, static_cast<const Row&>(row));
        return true;
    }

  private:
    static constexpr std::size_t kColumns = count_columns<Row>();
    static constexpr std::array<ColumnType, kColumns> kTypes = [] {
        std::array<ColumnType, kColumns> types{};
        std::size_t i = 0;
        Row::columns([&](const char*, ColumnType type, const char*, auto) { types[i++] = type; });
        return types;
    }();

    static int member_for(const Column& column) {
        int found = -1;
        int i = 0;
        Row probe;
        Row::columns([&](const char* name, ColumnType, const char*, auto member) {
            if (column.name == name && detail::fits(column.type, &(probe.*member))) {
                found = i;
            }
            ++i;
        });
        return found;
    }

    bool read(ColumnType type, std::size_t column, std::uint64_t& value, const std::uint8_t*& at,
              const std::uint8_t* end) {
        if (!detail::read_varint(at, end, value)) {
            return false;
        }
        if (type == ColumnType::kDelta) {
            value = bases_[column] += static_cast<std::uint64_t>(unzigzag(value));
        }
        return true;
    }
    bool read(ColumnType, std::size_t, std::int64_t& value, const std::uint8_t*& at, const std::uint8_t* end) {
        std::uint64_t raw = 0;
        if (!detail::read_varint(at, end, raw)) {
            return false;
        }
        value = unzigzag(raw);
        return true;
    }
    bool read(ColumnType, std::size_t, double& value, const std::uint8_t*& at, const std::uint8_t* end) {
        if (end - at < 8) {
            return false;
        }
        std::memcpy(&value, at, 8);
        at += 8;
        return true;
    }
    // Text is to be shown: from here on it is fit for that. Bytes and names of files are as they were.
    bool read(ColumnType type, std::size_t column, std::string_view& text, const std::uint8_t*& at,
              const std::uint8_t* end) {
        if (!detail::read_text(at, end, text)) {
            return false;
        }
        if (type == ColumnType::kText && !is_clean_text(text)) {
            texts_.resize(types_.size());
            text = texts_[column] = clean_text(text);
        }
        return true;
    }
    bool read(ColumnType, std::size_t, RawText& text, const std::uint8_t*& at, const std::uint8_t* end) {
        return detail::read_text(at, end, text);
    }
    bool read(ColumnType, std::size_t column, std::span<const std::uint64_t>& list, const std::uint8_t*& at,
              const std::uint8_t* end) {
        return detail::read_list(at, end, lists_[column], list);
    }

    bool read_as_written(Row& row, const std::uint8_t* at, const std::uint8_t* end) {
        bool good = true;
        std::size_t column = 0;
        const std::size_t columns = types_.size();
        Row::columns([&](const char*, ColumnType type, const char*, auto member) __attribute__((always_inline)) {
            if (good && at != end && column < columns) {
                good = read(type, column, row.*member, at, end);
            }
            ++column;
        });
        return good;
    }

    bool read_by_name(Row& row, const std::uint8_t* at, const std::uint8_t* end) {
        for (std::size_t column = 0; column < types_.size() && at != end; ++column) {
            if (members_[column] < 0) {
                if (!detail::skip_column(types_[column], at, end)) {
                    return false;
                }
                continue;
            }
            bool good = false;
            int i = 0;
            Row::columns([&](const char*, ColumnType own, const char*, auto member) {
                if (i++ == members_[column]) {
                    // Whether bytes are text is not for the file to say.
                    const ColumnType type = own == ColumnType::kText ? own : types_[column];
                    good = read(type, column, row.*member, at, end);
                }
            });
            if (!good) {
                return false;
            }
        }
        return true;
    }

    Callback& callback_;
    std::vector<ColumnType> types_;                  // by the file's column
    std::vector<int> members_;                       // its place in Row::columns, −1: none
    std::vector<std::uint64_t> bases_;               // of kDelta columns
    std::vector<std::vector<std::uint64_t>> lists_;  // what lists of the present row point into
    std::vector<std::string> texts_;                 // likewise of texts that were not fit to be shown
    std::uint64_t segment_ = 0;
    bool as_written_ = false;
};

template <typename Row, typename Callback>
class RowHandler final : public AnyHandler {
  public:
    explicit RowHandler(Callback callback) : callback_(std::move(callback)) {}
    std::unique_ptr<AnyDecoder> decoder(const TableSchema& table) override {
        if (table.name != Row::kTable) {
            return nullptr;
        }
        return std::make_unique<RowDecoder<Row, Callback>>(table, callback_);
    }

  private:
    Callback callback_;
};

// A handler for scan(): `callback(StreamId, const Row&)`, once a row of table Row. Views in the row are valid
// only inside the callback.
template <typename Row, typename Callback>
RowHandler<Row, Callback> on(Callback callback) {
    return RowHandler<Row, Callback>(std::move(callback));
}

}  // namespace kymo::recording
