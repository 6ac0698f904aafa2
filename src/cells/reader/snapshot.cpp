#include "cells/reader/snapshot.h"

#include "base/checksum.h"
#include "base/descriptor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::cells {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMaxRowBytes = 16384;
constexpr std::uint32_t kRowsAtATime = 64;
constexpr int kTries = 4;

bool read_at(int file, std::uint64_t offset, void* out, std::size_t bytes) {
    auto* to = static_cast<std::uint8_t*>(out);
    while (bytes > 0) {
        const ssize_t got = pread(file, to, bytes, static_cast<off_t>(offset));
        if (got <= 0) {
            return false;
        }
        to += got;
        offset += static_cast<std::uint64_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

template <std::size_t Size>
std::string text_of(const char (&padded)[Size]) {
    std::string text(padded, strnlen(padded, Size));
    for (char& c : text) {  // it goes to terminals and pages
        c = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return text;
}

Error malformed(const fs::path& path, const std::string& why) {
    return {ErrorKind::kMalformed, path.string() + " is not a valid cells segment: " + why,
            "it was made by something else, or is damaged; a program that runs again makes a new one"};
}

// Null: valid.
const char* complaint(const SegmentHeader& header, std::uint64_t file_bytes) {
    if (header.fixed_crc != crc32c(&header, offsetof(SegmentHeader, fixed_crc))) {
        return "the header's checksum does not match";
    }
    if (header.header_bytes < sizeof(SegmentHeader) || header.segment_bytes > kMaxSegmentBytes ||
        header.segment_bytes > file_bytes) {
        return "it is shorter than its header says";
    }
    if (header.tick_kind != static_cast<std::uint32_t>(TickKind::kMonotonic) &&
        header.tick_kind != static_cast<std::uint32_t>(TickKind::kCounter)) {
        return "its timers count something unknown";
    }
    if (header.tick_shift > 63) {
        return "its timers' rate makes no sense";
    }
    if (header.schema_bytes < sizeof(SchemaEntry) || header.schema_bytes > kMaxRowBytes ||
        header.schema_capacity > kMaxSchemaEntries || header.schema_used > header.schema_capacity ||
        std::uint64_t{header.schema_offset} + std::uint64_t{header.schema_capacity} * header.schema_bytes >
            header.segment_bytes) {
        return "its schema lies outside of it";
    }
    for (const TableHeader& table : header.tables) {
        if (table.kind == 0) {
            continue;
        }
        if (table.rows > kMaxRows || table.cells > kMaxCells || table.timers > kMaxTimers ||
            table.used > table.rows || table.row_bytes > kMaxRowBytes || table.row_bytes % 8 != 0 ||
            table.row_bytes < row_bytes(table.cells, table.timers)) {
            return "a table's measures make no sense";
        }
        if (table.offset % 8 != 0 || table.offset > header.segment_bytes ||
            std::uint64_t{table.rows} * table.row_bytes > header.segment_bytes - table.offset) {
            return "a table lies outside of it";
        }
    }
    return nullptr;
}

bool steady(const Row& first, const Row& second, const Row& third) {
    const bool object =
        first.generation % 2 == 0 && first.generation == second.generation && second.generation == third.generation;
    return object && first.fill % 2 == 0 && first.fill == second.fill && second.fill == third.fill;
}

struct Clocks {
    std::uint64_t ticks;
    std::uint64_t ns;
};

// Both at one time: read again if they were interrupted.
Clocks both_clocks(TickKind kind) {
    constexpr std::uint64_t kBetween = 20'000;  // ns
    for (int attempt = 1;; ++attempt) {
        const std::uint64_t before = monotonic_now().ns;
        const std::uint64_t ticks = read_ticks(kind);
        const std::uint64_t ns = monotonic_now().ns;
        if (ns - before <= kBetween || attempt == kTries) {
            return {ticks, ns};
        }
    }
}

class TableReader {
  public:
    // `ended`: when the process ended; 0: not known.
    TableReader(int file, const TableHeader& table, const TickRate& rate, std::uint64_t ended)
        : file_(file), table_(table), rate_(rate), ended_(ended) {}

    // Nothing: the file ended early.
    std::optional<std::vector<RowValues>> read() {
        std::vector<RowValues> rows;
        for (std::uint32_t first = 0; first < table_.used; first += kRowsAtATime) {
            const std::uint32_t count = std::min(kRowsAtATime, table_.used - first);
            if (!read_some(first, count, rows)) {
                return std::nullopt;
            }
        }
        return rows;
    }

  private:
    // Generations before, rows, generations after: each reading is a system call, so the order is kept.
    bool read_some(std::uint32_t first, std::uint32_t count, std::vector<RowValues>& rows) {
        const std::size_t bytes = std::size_t{count} * table_.row_bytes;
        const std::uint64_t at = table_.offset + std::uint64_t{first} * table_.row_bytes;
        before_.resize(bytes);
        now_.resize(bytes);
        after_.resize(bytes);
        std::vector<char> done(count, 0);
        std::vector<RowValues> found(count);
        for (int attempt = 0; attempt < kTries; ++attempt) {
            if (!read_at(file_, at, before_.data(), bytes) || !read_at(file_, at, now_.data(), bytes) ||
                !read_at(file_, at, after_.data(), bytes)) {
                return false;
            }
            const auto [ticks, time] = both_clocks(rate_.kind);
            const std::uint64_t since_end = ended_ != 0 && time > ended_ ? time - ended_ : 0;
            bool all = true;
            for (std::uint32_t i = 0; i < count; ++i) {
                const bool whole = steady(row(before_, i), row(now_, i), row(after_, i));
                if (done[i] == 0 && (whole || attempt + 1 == kTries)) {
                    take(i, ticks, since_end, found[i]);
                    found[i].torn = !whole;
                    done[i] = 1;
                }
                all = all && done[i] != 0;
            }
            if (all) {
                break;
            }
        }
        for (RowValues& each : found) {
            if (each.state == RowState::kLive || each.state == RowState::kEnded || each.state == RowState::kSum) {
                rows.push_back(std::move(each));
            }
        }
        return true;
    }

    [[nodiscard]] Row row(const std::vector<std::uint8_t>& bytes, std::uint32_t number) const {
        Row row;
        std::memcpy(&row, bytes.data() + std::size_t{number} * table_.row_bytes, sizeof row);
        return row;
    }

    void take(std::uint32_t number, std::uint64_t ticks, std::uint64_t since_end, RowValues& out) const {
        const Row raw = row(now_, number);
        out = {};
        out.number = raw.number;
        std::copy(std::begin(raw.key), std::end(raw.key), out.key.begin());
        out.begin = raw.begin;
        out.end = raw.end;
        out.state = static_cast<RowState>(raw.state);
        out.writer = raw.writer;
        out.filled = raw.filled;
        out.name = text_of(raw.name);
        const std::uint8_t* at = now_.data() + std::size_t{number} * table_.row_bytes + sizeof(Row);
        out.cells.resize(table_.cells);
        if (!out.cells.empty()) {
            std::memcpy(out.cells.data(), at, std::size_t{table_.cells} * 8);
        }
        at += std::size_t{table_.cells} * 8;
        for (std::uint32_t i = 0; i < table_.timers; ++i) {
            Timer timer;
            std::memcpy(&timer, at + std::size_t{i} * sizeof timer, sizeof timer);
            if (timer.depth != 0 && timer.cell < table_.cells) {
                const std::uint64_t passed = ticks - timer.since;
                const std::uint64_t ns = static_cast<std::int64_t>(passed) > 0 ? rate_.to_ns(passed) : 0;
                out.running.push_back({i, timer.depth, timer.cell, ns > since_end ? ns - since_end : 0});
            }
        }
    }

    int file_;
    const TableHeader& table_;
    TickRate rate_;
    std::uint64_t ended_;
    std::vector<std::uint8_t> before_;
    std::vector<std::uint8_t> now_;
    std::vector<std::uint8_t> after_;
};

bool read_header(int file, SegmentHeader& header) {
    return read_at(file, 0, &header, sizeof header);
}

bool read_schema(int file, const SegmentHeader& header, std::vector<Metric>& schema) {
    std::vector<std::uint8_t> bytes(std::size_t{header.schema_used} * header.schema_bytes);
    if (!read_at(file, header.schema_offset, bytes.data(), bytes.size())) {
        return false;
    }
    for (std::uint32_t i = 0; i < header.schema_used; ++i) {
        SchemaEntry entry;
        std::memcpy(&entry, bytes.data() + std::size_t{i} * header.schema_bytes, sizeof entry);
        const auto type = static_cast<MetricType>(entry.type);
        schema.push_back({static_cast<ResourceKind>(entry.kind), entry.cell,
                          type == MetricType::kGauge || type == MetricType::kMaximum ? type : MetricType::kCounter,
                          static_cast<Origin>(entry.origin), text_of(entry.unit), text_of(entry.name),
                          text_of(entry.description), metric_total_of(static_cast<std::uint8_t>(entry.total)),
                          entry.per});
    }
    return true;
}

// Read once more if an ended row was being added to the sum.
bool read_table(int file, std::size_t number, const SegmentHeader& before, const Snapshot& of, TableValues& out) {
    SegmentHeader header = before;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        const TableHeader& table = header.tables[number];
        out = {static_cast<ResourceKind>(table.kind),
               table.cells,
               std::min(table.first_indexed, table.cells),
               std::min(table.indexed, table.cells - std::min(table.first_indexed, table.cells)),
               table.refused,
               false,
               {}};
        auto rows = TableReader(file, table, of.rate, of.ended).read();
        SegmentHeader after{};
        if (!rows || !read_header(file, after)) {
            return false;
        }
        out.rows = std::move(*rows);
        out.folding = table.folds % 2 != 0 || table.folds != after.tables[number].folds;
        if (!out.folding) {
            break;
        }
        header.tables[number].folds = after.tables[number].folds;
    }
    return true;
}

}  // namespace

const TableValues* Snapshot::table(ResourceKind kind) const {
    const auto found =
        std::find_if(tables.begin(), tables.end(), [&](const auto& each) { return each.kind == kind; });
    return found == tables.end() ? nullptr : &*found;
}

const Metric* Snapshot::metric(ResourceKind kind, std::string_view name) const {
    const auto found = std::find_if(schema.begin(), schema.end(),
                                    [&](const Metric& each) { return each.kind == kind && each.name == name; });
    return found == schema.end() ? nullptr : &*found;
}

Result<Snapshot> read_segment(const fs::path& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat facts{};
    if (file.number() < 0 || fstat(file.number(), &facts) != 0) {
        return Error{errno == EACCES || errno == EPERM ? ErrorKind::kPermission : ErrorKind::kNotFound,
                     path.string() + " cannot be read: " + std::strerror(errno),
                     "segments belong to the user who runs the program and disappear when it ends"};
    }
    SegmentHeader header{};
    if (!S_ISREG(facts.st_mode) || !read_header(file.number(), header) ||
        std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
        return malformed(path, "it does not begin as one");
    }
    if (header.major > kMajorVersion) {
        return Error{ErrorKind::kNewerFormat,
                     fmt::format("{} has version {}.{}, and this is for {}.{}", path.string(), header.major,
                                 header.minor, kMajorVersion, kMinorVersion),
                     "use the Kymo that the program runs under"};
    }
    if (const char* why = complaint(header, static_cast<std::uint64_t>(facts.st_size))) {
        return malformed(path, why);
    }
    Snapshot snapshot;
    snapshot.pid = header.pid;
    snapshot.image = header.image;
    snapshot.program = text_of(header.program);
    snapshot.made = header.made;
    snapshot.ended = header.end == static_cast<std::uint32_t>(SegmentEnd::kExit) ? header.ended : 0;
    snapshot.rate = {static_cast<TickKind>(header.tick_kind), header.tick_shift, header.tick_multiplier};
    bool whole = read_schema(file.number(), header, snapshot.schema);
    for (std::size_t i = 0; whole && i < kTables; ++i) {
        if (header.tables[i].kind != 0) {
            whole = read_table(file.number(), i, header, snapshot, snapshot.tables.emplace_back());
        }
    }
    snapshot.time = monotonic_now().ns;
    if (!whole) {
        return malformed(path, "it was cut off while it was read");
    }
    return snapshot;
}

}  // namespace kymo::cells
