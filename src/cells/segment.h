// Writes a segment: the file, its schema, and rows for objects. Part of the guest: no malloc, no stdio, no
// exceptions.
//
// Memory. The file has its whole size from the start, as a hole; rows are populated a few at a time before they
// are touched, so that full shared memory is a refusal and never a SIGBUS. No descriptor is kept, because a
// program may close those it does not own.
//
// Threads and signals. take(), end() and the schema's functions are called under Quiet, by any thread; cells are
// then written by the row's owner alone, with no call (primitives.h). create(), renew() and finish() while no
// other thread uses the object. The mapping stays for the life of the process, so that cells may be used to its
// very end.
#pragma once

#include "base/exclusion.h"
#include "cells/fixed_text.h"
#include "cells/layout.h"
#include "cells/ticks.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace kymo::cells {

struct SegmentOptions {
    std::uint32_t pid = 0;
    std::uint32_t image = 0;
    TickRate rate = {};
    std::string_view program = {};
    std::uint32_t tasks = 0;  // rows, without row 0; 0: no such table
    std::uint32_t processors = 0;
    std::uint32_t channels = 0;
};

struct Object {
    ResourceKind kind = ResourceKind::kTask;
    std::uint64_t number = 0;
    std::uint64_t key[3] = {};
    std::uint32_t writer = 0;
    std::uint64_t begin = 0;
    std::string_view name = {};
};

struct NewCell {
    ResourceKind kind = ResourceKind::kTask;
    MetricType type = MetricType::kCounter;
    Origin origin = Origin::kProgram;
    std::string_view unit = {};
    std::string_view name = {};
    std::string_view description = {};
    MetricTotal total = MetricTotal::kOfType;
    std::uint8_t per = 0;  // SchemaEntry
};

// The standard cells of a row, and its name, are filled in its scope; a reader takes them together.
class Filling {
  public:
    Filling(Row& row, std::uint64_t now) : row_(row), fill_(__atomic_load_n(&row.fill, __ATOMIC_RELAXED) | 1U) {
        __atomic_store_n(&row_.fill, fill_, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_RELEASE);
        __atomic_store_n(&row_.filled, now, __ATOMIC_RELAXED);
    }
    // The present name of the object.
    void name(std::string_view name) {
        if (!same_text(row_.name, sizeof row_.name, name)) {
            copy_text(row_.name, sizeof row_.name, name);
        }
    }
    ~Filling() { __atomic_store_n(&row_.fill, fill_ + 1, __ATOMIC_RELEASE); }
    Filling(const Filling&) = delete;
    Filling& operator=(const Filling&) = delete;

  private:
    Row& row_;
    std::uint64_t fill_;
};

class Segment {
  public:
    constexpr Segment() = default;
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    // Makes the file, mode 0600, which must not exist. 0 or an errno; then no file is left.
    int create(const char* path, const SegmentOptions& options);
    // A forked child's own file, mapped over the parent's: addresses do not change. `kept`: the calling thread's
    // row in the parent, or null. It keeps its place; gauges keep their values and running timers run from now,
    // all else begins at 0. If no file can be made the memory is private and is never read.
    int renew(const char* path, const SegmentOptions& options, Row* kept, const Object& object);
    // In a forked child: detaches the parent's segment; the process may make one of its own. No code here may
    // still use an address in it.
    void leave();
    // Records that the process has ended regularly. Cells may still be written.
    void finish(std::uint64_t now);

    void tell_obeyed(const std::uint64_t (&off)[2]) {
        for (int i = 0; i < 2; ++i) {
            __atomic_store_n(&head().obeyed[i], off[i], __ATOMIC_RELAXED);
        }
    }

    bool is_open() const { return base_ != nullptr; }
    const SegmentHeader& header() const { return *reinterpret_cast<const SegmentHeader*>(base_); }

    // A row for an object, its cells 0; null: no room (counted).
    Row* take(const Object& object);
    // The object has ended: running timers stop, the values stay until the row is needed.
    void end(Row& row, std::uint64_t now);
    // Assigns the row to `object`; the caller has handled its old contents. For objects that replace one another
    // in one place.
    void rename(Row& row, const Object& object);

    static std::uint64_t* cells_of(Row& row) { return reinterpret_cast<std::uint64_t*>(&row + 1); }
    static Timer* timers_of(Row& row, std::uint32_t cells) { return reinterpret_cast<Timer*>(cells_of(row) + cells); }

    // The named cell, entered in the schema unless it exists. kNoCell: no room for another name.
    std::uint32_t named_cell(const NewCell& cell);
    // Enters a cell's description. False: no room.
    bool describe(std::uint32_t cell, const NewCell& what);
    // The number of descriptions so far, and the i-th of them, which does not change.
    std::uint32_t described() const { return __atomic_load_n(&header().schema_used, __ATOMIC_ACQUIRE); }
    const SchemaEntry& description(std::uint32_t i) const {
        return reinterpret_cast<const SchemaEntry*>(base_ + kSchemaOffset)[i];
    }

  private:
    static constexpr std::uint64_t kPage = 4096;
    static constexpr std::uint32_t kSchemaCapacity = 256;
    static constexpr std::uint64_t kSchemaOffset = kPage;  // behind the header
    static constexpr std::uint64_t kTablesOffset = kSchemaOffset + kSchemaCapacity * sizeof(SchemaEntry);

    static constexpr std::uint64_t to_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
    SchemaEntry* schema() { return reinterpret_cast<SchemaEntry*>(base_ + kSchemaOffset); }
    SegmentHeader& head() { return *reinterpret_cast<SegmentHeader*>(base_); }
    TableHeader* table_of(ResourceKind kind);
    Row& row_at(const TableHeader& table, std::uint32_t number);
    std::uint64_t layout(const SegmentOptions& options, SegmentHeader& header) const;
    void write_head(const SegmentHeader& header);
    void keep_free(std::uint32_t channels);
    bool populate(const TableHeader& table, std::uint32_t row);
    bool populate_bytes(std::uint64_t begin, std::uint64_t end);
    Row* reuse(TableHeader& table);
    void fold(TableHeader& table, Row& row);
    bool enter(std::uint32_t cell, const NewCell& what);  // under lock_

    std::uint8_t* base_ = nullptr;
    std::uint64_t bytes_ = 0;
    Lock lock_;
    std::uint64_t populated_[kTables] = {};  // end of what may be touched, by table
    std::uint32_t next_reuse_[kTables] = {};
    std::uint32_t next_named_[kTables] = {};
    MetricType types_[kTables][kTaskCells] = {};
    char path_[4096] = {};
};

}  // namespace kymo::cells
