#include "cells/segment.h"

#include "base/checksum.h"
#include "cells/primitives.h"
#include "cells/standard.h"

#include <cerrno>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::cells {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kSchemaCapacity = 256;
constexpr std::uint64_t kSchemaOffset = kPage;
constexpr std::uint64_t kTablesOffset = kSchemaOffset + kSchemaCapacity * sizeof(SchemaEntry);
constexpr std::uint64_t kPopulateStep = 8 * kPage;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14

constexpr std::uint64_t to_pages(std::uint64_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
}

void copy_text(char* out, std::size_t capacity, std::string_view text) {
    __builtin_memset(out, 0, capacity);
    if (!text.empty()) {
        __builtin_memcpy(out, text.data(), text.size() < capacity ? text.size() : capacity);
    }
}

bool same_text(const char* kept, std::size_t capacity, std::string_view text) {
    const std::size_t size = text.size() < capacity ? text.size() : capacity;
    return __builtin_memcmp(kept, text.data(), size) == 0 && (size == capacity || kept[size] == 0);
}

int make_file(const char* path, std::uint64_t bytes) {
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) != 0) {
        const int error = errno;
        syscall(SYS_close, file);
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        errno = error;
        return -1;
    }
    return file;
}

}  // namespace

// ---- the file -------------------------------------------------------------------------------------------------

// Where everything lies; returns the size.
std::uint64_t Segment::layout(const SegmentOptions& options, SegmentHeader& header) const {
    __builtin_memcpy(header.magic, kMagic, sizeof kMagic);
    header.major = kMajorVersion;
    header.minor = kMinorVersion;
    header.header_bytes = kPage;
    header.pid = options.pid;
    header.image = options.image;
    header.made = monotonic_now().ns;
    header.tick_kind = static_cast<std::uint32_t>(options.rate.kind);
    header.tick_shift = options.rate.shift;
    header.tick_multiplier = options.rate.multiplier;
    header.schema_offset = kSchemaOffset;
    header.schema_bytes = sizeof(SchemaEntry);
    header.schema_capacity = kSchemaCapacity;
    copy_text(header.program, sizeof header.program, options.program);
    const struct {
        ResourceKind kind;
        std::uint32_t rows;
        std::uint32_t cells;
        std::uint32_t timers;
    } wanted[] = {{ResourceKind::kTask, options.tasks, kTaskCells, kTaskTimers},
                  {ResourceKind::kProcessor, options.processors, kOtherCells, 0},
                  {ResourceKind::kChannel, options.channels, kOtherCells, 0}};
    std::uint64_t at = kTablesOffset;
    std::uint32_t number = 0;
    for (const auto& want : wanted) {
        if (want.rows == 0) {
            continue;
        }
        TableHeader& table = header.tables[number++];
        table.kind = static_cast<std::uint32_t>(want.kind);
        table.rows = want.rows < kMaxRows ? want.rows + 1 : kMaxRows;
        table.cells = want.cells;
        table.timers = want.timers;
        table.row_bytes = row_bytes(want.cells, want.timers);
        table.first_indexed = kFirstIndexed;
        table.indexed = kIndexedCells;
        table.offset = at;
        at = to_pages(at + std::uint64_t{table.rows} * table.row_bytes);
    }
    header.segment_bytes = at;
    header.fixed_crc = crc32c(&header, offsetof(SegmentHeader, fixed_crc));
    return at;
}

int Segment::create(const char* path, const SegmentOptions& options) {
    const std::size_t length = __builtin_strlen(path);
    if (length >= sizeof path_) {
        return ENAMETOOLONG;
    }
    __builtin_memcpy(path_, path, length + 1);
    SegmentHeader header{};
    bytes_ = layout(options, header);
    const int file = make_file(path, bytes_);
    if (file < 0) {
        return errno;
    }
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = errno;
    syscall(SYS_close, file);
    if (at == MAP_FAILED) {
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        return error;
    }
    base_ = static_cast<std::uint8_t*>(at);
    if (!populate_bytes(0, kTablesOffset)) {
        munmap(at, bytes_);
        base_ = nullptr;
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        return ENOSPC;
    }
    write_head(header);
    return 0;
}

void Segment::write_head(const SegmentHeader& header) {
    for (std::uint32_t i = 0; i < kTables; ++i) {
        populated_[i] = header.tables[i].offset;
        next_reuse_[i] = 1;
        next_named_[i] = kFirstNamed;
        for (MetricType& type : types_[i]) {
            type = MetricType::kCounter;
        }
    }
    head() = header;
    for (const StandardMetric& metric : kStandardMetrics) {
        const TableHeader* table = table_of(metric.kind);
        if (table != nullptr) {
            enter(metric.cell,
                  {metric.kind, metric.type, Origin::kStandard, metric.unit, metric.name, metric.description});
        }
    }
    for (TableHeader& table : head().tables) {
        if (table.kind != 0 && populate(table, 0)) {
            Row& sum = row_at(table, 0);
            __atomic_store_n(&sum.state, static_cast<std::uint32_t>(RowState::kSum), __ATOMIC_RELEASE);
            __atomic_store_n(&table.used, 1U, __ATOMIC_RELEASE);
        }
    }
}

int Segment::renew(const char* path, const SegmentOptions& options, Row* kept, const Object& object) {
    lock_.reset();
    constexpr std::size_t kMostRow = row_bytes(kTaskCells, kTaskTimers);
    alignas(Row) static std::uint8_t copy[kMostRow];  // a forked child has one thread
    MetricType types[kTaskCells];
    __builtin_memcpy(types, types_[0], sizeof types);
    static SchemaEntry schema[kSchemaCapacity];
    const std::uint32_t described = head().schema_used;
    __builtin_memcpy(schema, base_ + kSchemaOffset, described * sizeof(SchemaEntry));
    if (kept != nullptr) {
        __builtin_memcpy(copy, kept, kMostRow);
    }
    SegmentHeader header{};
    layout(options, header);
    const std::size_t length = __builtin_strlen(path);
    int error = length >= sizeof path_ ? ENAMETOOLONG : 0;
    const int file = error == 0 ? make_file(path, bytes_) : -1;
    if (error == 0) {
        __builtin_memcpy(path_, path, length + 1);
        error = file < 0 ? errno : 0;
    }
    void* at = file < 0 ? MAP_FAILED : mmap(base_, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    if (file >= 0) {
        syscall(SYS_close, file);
    }
    if (at == MAP_FAILED || !populate_bytes(0, kTablesOffset)) {
        error = error != 0 ? error : ENOSPC;
        mmap(base_, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
    write_head(header);
    for (std::uint32_t i = 0; i < described; ++i) {
        const SchemaEntry& entry = schema[i];
        if (entry.origin != static_cast<std::uint8_t>(Origin::kStandard)) {
            const auto text = [](const char* kept_text, std::size_t size) {
                return std::string_view(kept_text, strnlen(kept_text, size));
            };
            describe(entry.cell,
                     {static_cast<ResourceKind>(entry.kind), static_cast<MetricType>(entry.type),
                      static_cast<Origin>(entry.origin), text(entry.unit, sizeof entry.unit),
                      text(entry.name, sizeof entry.name), text(entry.description, sizeof entry.description)});
        }
    }
    TableHeader* table = table_of(ResourceKind::kTask);
    if (kept == nullptr || table == nullptr) {
        return error;
    }
    const auto number = static_cast<std::uint32_t>(
        (static_cast<std::uint64_t>(reinterpret_cast<std::uint8_t*>(kept) - base_) - table->offset) /
        table->row_bytes);
    for (std::uint32_t row = 1; row <= number; ++row) {
        if (!populate(*table, row)) {
            // Nobody else has a place for this thread: let it write where nobody reads.
            mmap(base_, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                 0);
            write_head(header);
            return ENOSPC;
        }
    }
    rename(*kept, object);
    const auto& before = *reinterpret_cast<const Row*>(copy);
    const auto* old_cells = reinterpret_cast<const std::uint64_t*>(&before + 1);
    const auto* old_timers = reinterpret_cast<const Timer*>(old_cells + kTaskCells);
    for (std::uint32_t i = 1; i < kTaskCells; ++i) {
        if (types[i] == MetricType::kGauge) {
            store(cells_of(*kept)[i], old_cells[i]);
        }
    }
    for (std::uint32_t i = 0; i < kTaskTimers; ++i) {
        Timer timer = old_timers[i];
        timer.since = read_ticks(static_cast<TickKind>(header.tick_kind));
        timers_of(*kept, kTaskCells)[i] = timer;
    }
    __atomic_store_n(&table->used, number + 1, __ATOMIC_RELEASE);
    return error;
}

void Segment::finish(std::uint64_t now) {
    head().ended = now;
    __atomic_store_n(&head().end, static_cast<std::uint32_t>(SegmentEnd::kExit), __ATOMIC_RELEASE);
}

// ---- memory ---------------------------------------------------------------------------------------------------

bool Segment::populate(const TableHeader& table, std::uint32_t row) {
    std::uint64_t& done = populated_[&table - head().tables];
    const std::uint64_t end = table.offset + (std::uint64_t{row} + 1) * table.row_bytes;
    if (end <= done) {
        return true;
    }
    const std::uint64_t last = to_pages(table.offset + std::uint64_t{table.rows} * table.row_bytes);
    const std::uint64_t wish = to_pages(end) + kPopulateStep;
    const std::uint64_t until = wish < last ? wish : last;
    if (!populate_bytes(done, until)) {
        return false;
    }
    done = until;
    return true;
}

bool Segment::populate_bytes(std::uint64_t begin, std::uint64_t end) {
    const int error = errno;
    int result = madvise(base_ + begin, end - begin, kPopulateWrite);
    if (result != 0 && errno == EINVAL) {  // an older kernel: allocate by the file
        const int file = open(path_, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (file >= 0) {
            result = static_cast<int>(
                syscall(SYS_fallocate, file, 0, static_cast<off_t>(begin), static_cast<off_t>(end - begin)));
            syscall(SYS_close, file);
        }
    }
    errno = error;
    return result == 0;
}

// ---- rows -----------------------------------------------------------------------------------------------------

TableHeader* Segment::table_of(ResourceKind kind) {
    for (TableHeader& table : head().tables) {
        if (table.kind == static_cast<std::uint32_t>(kind) && table.kind != 0) {
            return &table;
        }
    }
    return nullptr;
}

Row& Segment::row_at(const TableHeader& table, std::uint32_t number) {
    return *reinterpret_cast<Row*>(base_ + table.offset + std::uint64_t{number} * table.row_bytes);
}

void Segment::rename(Row& row, const Object& object) {
    const TableHeader& table = *table_of(object.kind);
    const std::uint64_t generation = __atomic_load_n(&row.generation, __ATOMIC_RELAXED) | 1U;
    __atomic_store_n(&row.generation, generation, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __builtin_memset(cells_of(row), 0, table.row_bytes - sizeof(Row));
    row.number = object.number;
    __builtin_memcpy(row.key, object.key, sizeof row.key);
    row.begin = object.begin;
    row.end = 0;
    row.writer = object.writer;
    row.filled = 0;
    copy_text(row.name, sizeof row.name, object.name);
    __atomic_store_n(&row.state, static_cast<std::uint32_t>(RowState::kLive), __ATOMIC_RELAXED);
    __atomic_store_n(&row.generation, generation + 1, __ATOMIC_RELEASE);
}

Row* Segment::take(const Object& object) {
    const Locked locked(lock_);
    TableHeader* table = table_of(object.kind);
    if (table == nullptr) {
        return nullptr;
    }
    Row* row = nullptr;
    if (table->used < table->rows && populate(*table, table->used)) {
        row = &row_at(*table, table->used);
        rename(*row, object);
        __atomic_store_n(&table->used, table->used + 1, __ATOMIC_RELEASE);
        return row;
    }
    row = reuse(*table);
    if (row == nullptr) {
        __atomic_store_n(&table->refused, table->refused + 1, __ATOMIC_RELAXED);
        return nullptr;
    }
    rename(*row, object);
    return row;
}

// The row of an object that has ended, the oldest first as far as rows were taken in order.
Row* Segment::reuse(TableHeader& table) {
    std::uint32_t& next = next_reuse_[&table - head().tables];
    for (std::uint32_t tried = 1; tried < table.used; ++tried) {
        next = next < table.used ? next : 1;
        Row& row = row_at(table, next++);
        const auto state = static_cast<RowState>(__atomic_load_n(&row.state, __ATOMIC_ACQUIRE));
        if (state == RowState::kEnded) {
            fold(table, row);
        }
        if (state == RowState::kEnded || state == RowState::kFree) {
            return &row;
        }
    }
    return nullptr;
}

void Segment::fold(TableHeader& table, Row& row) {
    const MetricType* types = types_[&table - head().tables];
    std::uint64_t* sums = cells_of(row_at(table, 0));
    const std::uint64_t* values = cells_of(row);
    __atomic_store_n(&table.folds, table.folds + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (std::uint32_t i = 1; i < table.cells; ++i) {
        const std::uint64_t value = load(values[i]);
        if (types[i] == MetricType::kCounter) {
            store(sums[i], sums[i] + value);
        } else if (types[i] == MetricType::kMaximum && value > sums[i]) {
            store(sums[i], value);
        }
    }
    __atomic_store_n(&row.generation, row.generation | 1U, __ATOMIC_RELAXED);
    __atomic_store_n(&row.state, static_cast<std::uint32_t>(RowState::kTaken), __ATOMIC_RELAXED);
    __atomic_store_n(&table.folds, table.folds + 1, __ATOMIC_RELEASE);
}

void Segment::end(Row& row, std::uint64_t now) {
    const TableHeader* table = nullptr;
    const auto at = static_cast<std::uint64_t>(reinterpret_cast<std::uint8_t*>(&row) - base_);
    for (const TableHeader& each : head().tables) {
        if (each.kind != 0 && at >= each.offset && at < each.offset + std::uint64_t{each.rows} * each.row_bytes) {
            table = &each;
        }
    }
    if (table == nullptr) {
        return;
    }
    const TickRate rate{static_cast<TickKind>(head().tick_kind), head().tick_shift, head().tick_multiplier};
    const Task task{cells_of(row), timers_of(row, table->cells), &rate, nullptr};
    for (std::uint32_t i = 0; i < table->timers; ++i) {
        if (task.timers[i].depth > 0) {
            task.timers[i].depth = 1;
            stop(task, i);
        }
    }
    row.end = now;
    __atomic_store_n(&row.state, static_cast<std::uint32_t>(RowState::kEnded), __ATOMIC_RELEASE);
}

// ---- schema ---------------------------------------------------------------------------------------------------

bool Segment::enter(std::uint32_t cell, const NewCell& what) {
    const TableHeader* table = table_of(what.kind);
    const std::uint32_t used = head().schema_used;
    if (table == nullptr || used >= kSchemaCapacity || cell == kNoCell || cell >= table->cells) {
        return false;
    }
    auto& entry = *reinterpret_cast<SchemaEntry*>(base_ + kSchemaOffset + used * sizeof(SchemaEntry));
    entry.kind = static_cast<std::uint32_t>(what.kind);
    entry.cell = cell;
    entry.type = static_cast<std::uint8_t>(what.type);
    entry.origin = static_cast<std::uint8_t>(what.origin);
    copy_text(entry.unit, sizeof entry.unit, what.unit);
    copy_text(entry.name, sizeof entry.name, what.name);
    copy_text(entry.description, sizeof entry.description, what.description);
    const auto number = table - head().tables;
    types_[number][cell] = what.type;
    if (cell >= next_named_[number]) {
        next_named_[number] = cell + 1;
    }
    __atomic_store_n(&head().schema_used, used + 1, __ATOMIC_RELEASE);
    return true;
}

bool Segment::describe(std::uint32_t cell, const NewCell& what) {
    const Locked locked(lock_);
    return enter(cell, what);
}

std::uint32_t Segment::named_cell(const NewCell& cell) {
    const Locked locked(lock_);
    const TableHeader* table = table_of(cell.kind);
    if (table == nullptr || cell.name.empty()) {
        return kNoCell;
    }
    const auto* entries = reinterpret_cast<const SchemaEntry*>(base_ + kSchemaOffset);
    for (std::uint32_t i = 0; i < head().schema_used; ++i) {
        if (entries[i].kind == table->kind && same_text(entries[i].name, sizeof entries[i].name, cell.name)) {
            return entries[i].cell;
        }
    }
    const std::uint32_t free = next_named_[table - head().tables];
    return free < table->cells && enter(free, cell) ? free : kNoCell;
}

}  // namespace kymo::cells
