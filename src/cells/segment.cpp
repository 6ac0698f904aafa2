#include "cells/segment.h"

#include "base/checksum.h"
#include "base/file_limit.h"
#include "cells/fixed_text.h"
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

constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14

int make_file(const char* path, std::uint64_t bytes) {
    if (!within_file_limit(bytes)) {
        errno = EFBIG;
        return -1;
    }
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

// Replaces a file: memory that is written, but never read. The range is this process's own already, so the kernel
// refuses only for lack of its own memory; there is no recovery then.
void map_for_nobody(void* base, std::uint64_t bytes) {
    [[maybe_unused]] const void* const at =
        mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

// ---- the file -------------------------------------------------------------------------------------------------

// Computes the layout; returns the size.
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
    static SchemaEntry entries[kSchemaCapacity];
    // The program may write here by mistake.
    const std::uint32_t described = head().schema_used < kSchemaCapacity ? head().schema_used : kSchemaCapacity;
    __builtin_memcpy(entries, schema(), described * sizeof(SchemaEntry));
    if (kept != nullptr) {
        __builtin_memcpy(copy, kept, kMostRow);
    }
    const TableHeader* const channels = table_of(ResourceKind::kChannel);
    const std::uint32_t known_channels = channels == nullptr ? 0 : channels->used;
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
        map_for_nobody(base_, bytes_);
    }
    write_head(header);
    for (std::uint32_t i = 0; i < described; ++i) {
        const SchemaEntry& entry = entries[i];
        if (entry.origin != static_cast<std::uint8_t>(Origin::kStandard)) {
            const auto text = [](const char* kept_text, std::size_t size) {
                return std::string_view(kept_text, strnlen(kept_text, size));
            };
            describe(entry.cell, {static_cast<ResourceKind>(entry.kind), static_cast<MetricType>(entry.type),
                                  static_cast<Origin>(entry.origin), text(entry.unit, sizeof entry.unit),
                                  text(entry.name, sizeof entry.name),
                                  text(entry.description, sizeof entry.description), entry.total, entry.per});
        }
    }
    keep_free(known_channels);
    TableHeader* table = table_of(ResourceKind::kTask);
    if (kept == nullptr || table == nullptr) {
        return error;
    }
    const auto number = static_cast<std::uint32_t>(
        (static_cast<std::uint64_t>(reinterpret_cast<std::uint8_t*>(kept) - base_) - table->offset) /
        table->row_bytes);
    for (std::uint32_t row = 1; row <= number; ++row) {
        if (!populate(*table, row)) {
            // There is no other place for this thread: let it write to memory that is never read.
            map_for_nobody(base_, bytes_);
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

void Segment::leave() {
    const int error = errno;
    if (base_ != nullptr) {
        munmap(base_, bytes_);
    }
    base_ = nullptr;
    bytes_ = 0;
    lock_.reset();
    errno = error;
}

void Segment::finish(std::uint64_t now) {
    head().ended = now;
    __atomic_store_n(&head().end, static_cast<std::uint32_t>(SegmentEnd::kExit), __ATOMIC_RELEASE);
}

// ---- memory ---------------------------------------------------------------------------------------------------

// The program may still count in its parent's channels: those rows are not assigned, so that its counts there are
// not read and no other channel's cell is affected.
void Segment::keep_free(std::uint32_t channels) {
    TableHeader* const table = table_of(ResourceKind::kChannel);
    if (table != nullptr && channels > 1 && channels <= table->rows && populate(*table, channels - 1)) {
        __atomic_store_n(&table->used, channels, __ATOMIC_RELEASE);
    }
}

bool Segment::populate(const TableHeader& table, std::uint32_t row) {
    std::uint64_t& done = populated_[&table - head().tables];
    const std::uint64_t end = table.offset + (std::uint64_t{row} + 1) * table.row_bytes;
    if (end <= done) {
        return true;
    }
    const std::uint64_t last = to_pages(table.offset + std::uint64_t{table.rows} * table.row_bytes);
    const std::uint64_t wish = to_pages(end) + 8 * kPage;
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

}  // namespace kymo::cells
