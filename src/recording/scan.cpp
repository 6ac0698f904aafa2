// One pass over a file's rows.

#include "recording/chunk_walker.h"
#include "recording/excerpt.h"
#include "recording/parse_schema.h"
#include "recording/reader.h"
#include "recording/record.h"
#include "recording/tables/flows.h"
#include "recording/tables/gpu.h"
#include "recording/tables/metrics.h"
#include "recording/tables/processor.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo::recording {

namespace {

// Beside those that the monitor writes.
constexpr bool is_further_table(std::string_view name) {
    bool known = false;
    const auto compare = [&]<typename Row>() { known = known || name == Row::kTable; };
    for_each_metric_row(compare);
    for_each_gpu_row(compare);
    compare.operator()<Flow>();
    for_each_processor_row(compare);
    return known;
}

struct Table {
    TableSchema schema;  // name and columns empty until described
    std::uint64_t rows = 0;
    bool described = false;
    Amount amount = Amount::kBounded;
    std::vector<std::unique_ptr<AnyDecoder>> decoders;
};

class Scan {
  public:
    Scan(const File& file, std::span<AnyHandler* const> handlers, File::StreamChoice choice = {})
        : file_(file), handlers_(handlers), choice_(std::move(choice)), excerpt_(file.excerpt()) {}

    Result<void> run();
    ScanReport report();
    std::vector<TableInfo> tables() const;

  private:
    Result<void> chunk(const Chunk& chunk);
    bool begin_stream(std::span<const std::uint8_t> body);
    void describe(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t offset);
    void bind(Table& table, TableSchema schema);
    Table& find(std::uint64_t number);
    Result<void> look_for_schemas();

    // From here on rows are of that stream, and deltas count from 0.
    void begin_segment(StreamId stream) {
        place_.stream = stream;
        ++place_.segment;
        excerpt_.begin_segment(stream);
        is_wanted_ = raw(stream) == 0 || !choice_ || choice_(stream);
    }

    const File& file_;
    std::span<AnyHandler* const> handlers_;
    File::StreamChoice choice_;
    Excerpt excerpt_;
    bool has_decoders_ = false;
    bool needs_whole_chunks_ = false;  // rows of a bounded amount are requested
    ScanReport report_;
    RowPlace place_;
    bool is_wanted_ = true;                       // rows of the current stream are chosen
    std::vector<std::unique_ptr<Table>> tables_;  // by first appearance
    std::array<Table*, 64> by_small_number_{};
    std::unordered_map<std::uint64_t, Table*> by_number_;
    Table* too_many_ = nullptr;  // counts rows of tables beyond kMaxTables
    bool looked_ = false;
};

Table& Scan::find(std::uint64_t number) {
    if (number < by_small_number_.size() && by_small_number_[number] != nullptr) {
        return *by_small_number_[number];
    }
    if (const auto found = by_number_.find(number); found != by_number_.end()) {
        return *found->second;
    }
    if (tables_.size() >= kMaxTables) {
        if (too_many_ == nullptr) {
            tables_.push_back(std::make_unique<Table>());
            too_many_ = tables_.back().get();
            too_many_->schema.name = "further tables";
            too_many_->described = true;
        }
        return *too_many_;
    }
    tables_.push_back(std::make_unique<Table>());
    Table& table = *tables_.back();
    table.schema.number = number;
    by_number_[number] = &table;
    if (number < by_small_number_.size()) {
        by_small_number_[number] = &table;
    }
    return table;
}

void Scan::bind(Table& table, TableSchema schema) {
    table.described = true;
    table.schema = std::move(schema);
    table.amount = amount_of(table.schema.name);
    for (AnyHandler* const handler : handlers_) {
        if (auto decoder = handler->decoder(table.schema)) {
            table.decoders.push_back(std::move(decoder));
            has_decoders_ = true;
            needs_whole_chunks_ = needs_whole_chunks_ || table.amount == Amount::kBounded;
        }
    }
}

void Scan::describe(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t offset) {
    std::optional<TableSchema> schema = parse_schema({at, end});
    if (!schema || schema->number <= kStreamTable) {
        add_damage(report_, offset, static_cast<std::uint64_t>(end - at), "malformed description of a table");
        return;
    }
    Table& table = find(schema->number);
    if (&table == too_many_) {
        return;
    }
    if (!table.described) {
        bind(table, *std::move(schema));
    } else if (table.schema != *schema) {
        add_damage(report_, offset, 0, "a table is described twice, differently: the first is used");
    }
}

bool Scan::begin_stream(std::span<const std::uint8_t> body) {
    const std::uint8_t* at = body.data();
    std::uint64_t stream = 0;
    if (!detail::read_varint(at, at + body.size(), stream) || stream > 0xFFFFFFFFU) {
        return false;
    }
    begin_segment(StreamId{static_cast<std::uint32_t>(stream)});
    return true;
}

// Rows may come before the row that describes their table: then all descriptions are read first.
Result<void> Scan::look_for_schemas() {
    looked_ = true;
    ScanReport unused;
    ChunkWalker walker(file_, unused);
    for (Chunk chunk;;) {
        const Result<bool> more = walker.next(chunk);
        if (!more) {
            return more.error();
        }
        if (!*more) {
            return {};
        }
        const std::uint8_t* at = chunk.payload.data();
        const std::uint8_t* const end = at + chunk.payload.size();
        for (Record record; at != end && read_record(at, end, record);) {
            if (record.number != kSchemaTable) {
                continue;
            }
            if (std::optional<TableSchema> schema = parse_schema(record.body);
                schema && schema->number > kStreamTable) {
                Table& table = find(schema->number);
                if (!table.described) {
                    bind(table, *std::move(schema));
                }
            }
        }
    }
}

Result<void> Scan::chunk(const Chunk& chunk) {
    begin_segment(chunk.stream);
    const std::uint8_t* const begin = chunk.payload.data();
    const std::uint8_t* const end = begin + chunk.payload.size();
    const std::uint8_t* at = begin;
    const auto damage = [&](const std::uint8_t* from, const char* what) {
        add_damage(report_, chunk.payload_offset() + static_cast<std::uint64_t>(from - begin),
                   static_cast<std::uint64_t>(end - from), what);
    };
    while (at != end) {
        const std::uint8_t* const from = at;
        Record record;
        if (!read_record(at, end, record)) {
            if (!chunk.is_whole) {
                break;
            }
            damage(from, "a row is longer than its chunk");
            return {};
        }
        if (record.number == kSchemaTable) {
            describe(record.body.data(), at, chunk.payload_offset() + static_cast<std::uint64_t>(from - begin));
            continue;
        }
        if (record.number == kStreamTable) {
            if (!begin_stream(record.body)) {
                damage(from, "malformed stream marker");
                return {};
            }
            continue;
        }
        if (!is_wanted_) {
            continue;
        }
        Table& table = find(record.number);
        if (!table.described && !looked_) {
            if (Result<void> result = look_for_schemas(); !result) {
                return result;
            }
        }
        ++table.rows;
        if (!excerpt_.has(table.amount)) {
            continue;
        }
        place_.is_behind_gap = excerpt_.is_behind_gap();
        for (const auto& decoder : table.decoders) {
            if (!decoder->row(place_, record.body.data(), at)) {
                --table.rows;
                damage(from, "malformed row");
                return {};
            }
        }
    }
    if (!chunk.is_whole) {
        excerpt_.leave_rest();
    }
    return {};
}

Result<void> Scan::run() {
    ChunkWalker walker(file_, report_);
    for (Chunk chunk;;) {
        const bool is_by_heads = !excerpt_.is_all() && has_decoders_ && !needs_whole_chunks_;
        const Result<bool> more = walker.next(chunk, is_by_heads ? excerpt_.head_bytes() : kMaxChunkBytes);
        if (!more) {
            return more.error();
        }
        if (!*more) {
            return {};
        }
        if (Result<void> result = this->chunk(chunk); !result) {
            return result;
        }
    }
}

std::string name_of(const Table& table) {
    return table.described ? table.schema.name : "table " + std::to_string(table.schema.number);
}

ScanReport Scan::report() {
    for (const auto& table : tables_) {
        if (table->rows == 0) {
            continue;
        }
        const std::string name = name_of(*table);
        const auto count = [&](std::vector<TableRows>& list) {
            for (TableRows& entry : list) {
                if (entry.name == name) {
                    entry.rows += table->rows;
                    return;
                }
            }
            list.push_back({name, table->rows});
        };
        count(report_.tables);
        if (!table->described || (table->decoders.empty() && !is_known_table(name) && !is_further_table(name))) {
            count(report_.unknown);
        }
    }
    return std::move(report_);
}

std::vector<TableInfo> Scan::tables() const {
    std::vector<TableInfo> all;
    for (const auto& table : tables_) {
        all.push_back({table->schema, table->rows});
        all.back().schema.name = name_of(*table);
    }
    return all;
}

}  // namespace

std::uint64_t ScanReport::rows(std::string_view table) const {
    for (const TableRows& entry : tables) {
        if (entry.name == table) {
            return entry.rows;
        }
    }
    return 0;
}

Result<ScanReport> File::scan_with(std::span<AnyHandler* const> handlers) const {
    return scan_with(handlers, {});
}

Result<ScanReport> File::scan_with(std::span<AnyHandler* const> handlers, const StreamChoice& choice) const {
    Scan scan(*this, handlers, choice);
    if (const Result<void> result = scan.run(); !result) {
        return result.error();
    }
    return scan.report();
}

Result<std::vector<TableInfo>> File::tables() const {
    Scan scan(*this, {});
    if (const Result<void> result = scan.run(); !result) {
        return result.error();
    }
    return scan.tables();
}

}  // namespace kymo::recording
