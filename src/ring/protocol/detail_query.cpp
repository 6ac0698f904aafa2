#include "ring/protocol/detail_query.h"

#include "base/channels/kind.h"
#include "base/resource.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace kymo::ring {
namespace {

constexpr std::uint8_t kLastDirection = kEndDirections - 1;

// The unread part of a frame. Reads nothing beyond it.
class Rest {
  public:
    explicit Rest(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    template <typename T>
    bool take(T& value) {
        return take(&value, sizeof value);
    }
    template <typename T>
    bool take(std::vector<T>& values, std::size_t count) {
        if (count * sizeof(T) > bytes_.size()) {
            return false;  // checked before memory is allocated for them
        }
        values.resize(count);
        return take(values.data(), count * sizeof(T));
    }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  private:
    bool take(void* to, std::size_t size) {
        if (size > bytes_.size()) {
            return false;
        }
        if (size > 0) {
            std::memcpy(to, bytes_.data(), size);
        }
        bytes_ = bytes_.subspan(size);
        return true;
    }
    std::span<const std::uint8_t> bytes_;
};

class Writer {
  public:
    explicit Writer(Bytes& frame) : frame_(frame) {}
    template <typename T>
    void put(const T& value) {
        put(&value, sizeof value);
    }
    template <typename T>
    void put(const std::vector<T>& values) {
        put(values.data(), values.size() * sizeof(T));
    }

  private:
    void put(const void* from, std::size_t size) {
        const auto* const bytes = static_cast<const std::uint8_t*>(from);
        frame_.insert(frame_.end(), bytes, bytes + size);
    }
    Bytes& frame_;
};

bool is_possible(const TableHead& head) {
    const auto kind = static_cast<Resource>(head.kind);
    const bool known_kind = head.kind >= 1 && head.kind <= 3;
    const bool known_level =
        static_cast<ResourceLevel>(head.level) == ResourceLevel::kObject ||
        (static_cast<ResourceLevel>(head.level) == ResourceLevel::kProcess && kind == Resource::kTask);
    const bool known_metrics = head.metrics <= kMaxMetrics && (std::uint64_t{head.order} >> head.metrics) == 0;
    return known_kind && known_level && known_metrics && head.rows <= kMaxRows &&
           (kind != Resource::kProcessor || head.process == kEvery);
}

bool is_possible(const TableHead& table, const TableRow& row) {
    const RowHead& head = row.head;
    const bool known_state = head.state >= RowIs::kThere && head.state <= RowIs::kSumOfEnded;
    if (!known_state || (std::uint64_t{head.unknown} >> table.metrics) != 0 || head.direction > kLastDirection) {
        return false;
    }
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        if (!row.knows(i) && row.values[i] != 0) {
            return false;
        }
    }
    return true;
}

Refusal open_head(std::span<const std::uint8_t> frame, FrameKind kind, Prefix& prefix, DetailHead& head, Rest& rest) {
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refusal;
    }
    if (prefix.kind != kind) {
        return Refusal::kMalformed;
    }
    rest = Rest(frame.subspan(sizeof prefix));
    if (!rest.take(head)) {
        return Refusal::kTruncated;
    }
    const bool possible = head.slot < kMaxSlots && head.tables >= 1 && head.tables <= kMaxTables && head.number != 0;
    return possible ? Refusal::kNone : Refusal::kMalformed;
}

Bytes with_prefix(Bytes frame, FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch) {
    const Prefix prefix = make_prefix(kind, frame.size(), slots, job, epoch);
    std::memcpy(frame.data(), &prefix, sizeof prefix);
    return frame;
}

}  // namespace

std::string TableRow::name() const {
    return {head.name.begin(), std::find(head.name.begin(), head.name.end(), '\0')};
}

std::array<char, kRowNameBytes> row_name(std::string_view name) {
    std::array<char, kRowNameBytes> padded{};
    std::copy_n(name.begin(), std::min(name.size(), padded.size()), padded.begin());
    return padded;
}

Refusal open_detail_query(std::span<const std::uint8_t> frame, Prefix& prefix, DetailQuery& query) {
    Rest rest({});
    if (const Refusal refusal = open_head(frame, FrameKind::kDetailQuery, prefix, query.head, rest);
        refusal != Refusal::kNone) {
        return refusal;
    }
    query.tables.assign(query.head.tables, {});
    for (AskedTable& table : query.tables) {
        if (!rest.take(table.head)) {
            return Refusal::kTruncated;
        }
        if (!is_possible(table.head) || table.head.rows == 0 || table.head.there != 0) {
            return Refusal::kMalformed;
        }
        if (!rest.take(table.metrics, table.head.metrics)) {
            return Refusal::kTruncated;
        }
    }
    return rest.size() == 0 ? Refusal::kNone : Refusal::kOversized;
}

Refusal open_rows(std::span<const std::uint8_t> frame, Prefix& prefix, Rows& rows) {
    Rest rest({});
    if (const Refusal refusal = open_head(frame, FrameKind::kRows, prefix, rows.head, rest);
        refusal != Refusal::kNone) {
        return refusal;
    }
    if (!rest.take(rows.facts)) {
        return Refusal::kTruncated;
    }
    rows.tables.assign(rows.head.tables, {});
    for (ToldTable& table : rows.tables) {
        if (!rest.take(table.head)) {
            return Refusal::kTruncated;
        }
        if (!is_possible(table.head) || table.head.rows > table.head.there) {
            return Refusal::kMalformed;
        }
        if (table.head.rows * (sizeof(RowHead) + table.head.metrics * sizeof(std::uint64_t)) > rest.size()) {
            return Refusal::kTruncated;
        }
        table.rows.resize(table.head.rows);
        for (TableRow& row : table.rows) {
            if (!rest.take(row.head) || !rest.take(row.values, table.head.metrics)) {
                return Refusal::kTruncated;
            }
            if (!is_possible(table.head, row)) {
                return Refusal::kMalformed;
            }
        }
    }
    return rest.size() == 0 ? Refusal::kNone : Refusal::kOversized;
}

Bytes make_detail_query(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const DetailQuery& query) {
    assert(!query.tables.empty() && query.tables.size() <= kMaxTables);
    Bytes frame(sizeof(Prefix));
    Writer writer(frame);
    DetailHead head = query.head;
    head.tables = static_cast<std::uint16_t>(query.tables.size());
    writer.put(head);
    for (const AskedTable& table : query.tables) {
        TableHead table_head = table.head;
        table_head.metrics = static_cast<std::uint16_t>(table.metrics.size());
        writer.put(table_head);
        writer.put(table.metrics);
    }
    return with_prefix(std::move(frame), FrameKind::kDetailQuery, slots, job, epoch);
}

Bytes make_rows(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const Rows& rows) {
    assert(!rows.tables.empty() && rows.tables.size() <= kMaxTables);
    Bytes frame(sizeof(Prefix));
    Writer writer(frame);
    DetailHead head = rows.head;
    head.tables = static_cast<std::uint16_t>(rows.tables.size());
    writer.put(head);
    writer.put(rows.facts);
    for (const ToldTable& table : rows.tables) {
        TableHead table_head = table.head;
        table_head.rows = static_cast<std::uint32_t>(table.rows.size());
        writer.put(table_head);
        for (const TableRow& row : table.rows) {
            assert(row.values.size() == table.head.metrics);
            writer.put(row.head);
            writer.put(row.values);
        }
    }
    return with_prefix(std::move(frame), FrameKind::kRows, slots, job, epoch);
}

}  // namespace kymo::ring
