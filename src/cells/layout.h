// The byte layout of a cells segment: docs/cells-format.md as constants and structs.
//
// A segment is a file in shared memory in which one process keeps 64-bit metric cells, so that other processes can
// read them while it runs, hangs, or after it has crashed. It has a header, a schema (the existing cells), and a
// table of rows for each kind of resource. Shared by the writer (in the measured program) and the reader. All
// integers are little-endian and the structs are laid over the mapped file.
#pragma once

#include "base/metric_total.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kymo::cells {

static_assert(std::endian::native == std::endian::little, "segments are read and written in place");

// A reader refuses a higher major version and accepts a higher minor one.
inline constexpr std::uint16_t kMajorVersion = 1;
// 1: cells can be switched off; 2: service channels; 3: totals; 4: ends of channels
inline constexpr std::uint16_t kMinorVersion = 4;

inline constexpr char kMagic[8] = {'K', 'Y', 'M', 'O', 'C', 'E', 'L', 'L'};
inline constexpr const char* kSegmentSuffix = ".cells";

// Bounds that a reader may rely on (and enforces).
inline constexpr std::uint64_t kMaxSegmentBytes = 256ULL << 20U;
inline constexpr std::uint32_t kMaxSchemaEntries = 1024;
inline constexpr std::uint32_t kMaxRows = 65536;  // of one table
inline constexpr std::uint32_t kMaxCells = 256;   // of one row
inline constexpr std::uint32_t kMaxTimers = 256;  // of one row
inline constexpr std::uint32_t kTables = 4;

// What this version's writer makes (a reader uses the header).
inline constexpr std::uint32_t kStandardCells = 32;  // with cell 0, which is unused
inline constexpr std::uint32_t kIndexedCells = 32;   // the program's own, by index from zero
inline constexpr std::uint32_t kNamedCells = 64;     // the program's and metric descriptions', by name
inline constexpr std::uint32_t kFirstIndexed = kStandardCells;
inline constexpr std::uint32_t kFirstNamed = kFirstIndexed + kIndexedCells;
inline constexpr std::uint32_t kTaskCells = kFirstNamed + kNamedCells;  // a power of two: handles are masked
inline constexpr std::uint32_t kOtherCells = kFirstNamed;               // of channels and processors
inline constexpr std::uint32_t kTaskTimers = 64;                        // a power of two
inline constexpr std::uint32_t kProgramTimers = 16;  // of them, from 0; the rest are of metric descriptions

// Cell 0 of every row: what has no cell of its own is added here, and is never read.
inline constexpr std::uint32_t kNoCell = 0;

enum class ResourceKind : std::uint32_t { kNone = 0, kTask = 1, kProcessor = 2, kChannel = 3 };

enum class MetricType : std::uint8_t {
    kCounter = 1,  // only the changes count: totals add up over objects and time
    kGauge = 2,    // the present state; totals add up over the existing objects
    kMaximum = 3,  // the largest seen: totals are the maximum
};

enum class Origin : std::uint8_t { kStandard = 1, kProgram = 2, kDescription = 3, kLibrary = 4 };

enum class RowState : std::uint32_t {
    kFree = 0,
    kLive = 1,
    kEnded = 2,  // the object has ended, its cells keep their last values
    kSum = 3,    // the sum of ended objects whose rows were reused
    kTaken = 4,  // the writer's own: a row on its way to be kLive
};

enum class TickKind : std::uint32_t {
    kMonotonic = 1,  // nanoseconds of CLOCK_MONOTONIC
    kCounter = 2,    // the processor's own constant-rate counter (x86-64: TSC, aarch64: CNTVCT_EL0)
};

enum class SegmentEnd : std::uint32_t { kOpen = 0, kExit = 1 };

struct TableHeader {
    std::uint32_t kind;  // ResourceKind; 0: no table
    std::uint32_t row_bytes;
    std::uint32_t rows;  // capacity
    std::uint32_t cells;
    std::uint32_t timers;
    std::uint32_t first_indexed;
    std::uint32_t indexed;
    std::uint32_t reserved;
    std::uint64_t offset;   // of row 0 in the file
    std::uint32_t used;     // rows 0 to used - 1 may be in use; atomic
    std::uint32_t refused;  // objects that got no row; atomic
    std::uint64_t folds;    // odd: an ended row is being added to the sum; atomic
    std::uint64_t reserved1;
};
static_assert(sizeof(TableHeader) == 64);

struct SegmentHeader {
    char magic[8];
    std::uint16_t major;
    std::uint16_t minor;
    std::uint32_t header_bytes;
    std::uint64_t segment_bytes;
    std::uint32_t pid;
    std::uint32_t image;       // ordinal of the program within this process id, from 0
    std::uint64_t made;        // CLOCK_MONOTONIC, ns
    std::uint32_t tick_kind;   // TickKind
    std::uint32_t tick_shift;  // ns = ticks * multiplier >> shift, in 128 bits
    std::uint64_t tick_multiplier;
    std::uint32_t schema_offset;
    std::uint32_t schema_bytes;  // of one entry
    std::uint32_t schema_capacity;
    std::uint32_t reserved;
    char program[32];  // the program's name, cut off and padded with zeros
    std::uint32_t reserved1;
    std::uint32_t fixed_crc;  // CRC-32C of everything above
    // The part that changes.
    std::uint32_t schema_used;      // existing entries; atomic
    std::uint32_t end;              // SegmentEnd; atomic
    std::uint64_t ended;            // when; ns
    std::uint64_t switched_off[2];  // bit c: cell c of tasks is not counted; written by any process that may write
                                    // the file; atomic
    std::uint64_t obeyed[2];        // the switches that the process has applied; atomic
    std::uint8_t reserved2[96];
    TableHeader tables[kTables];
};
static_assert(sizeof(SegmentHeader) == 512);
static_assert(offsetof(SegmentHeader, fixed_crc) == 108);
static_assert(offsetof(SegmentHeader, schema_used) == 112);
static_assert(offsetof(SegmentHeader, switched_off) == 128);
static_assert(offsetof(SegmentHeader, tables) == 256);

struct SchemaEntry {
    std::uint32_t kind;   // ResourceKind
    std::uint32_t cell;   // index in the rows of that kind
    std::uint8_t type;    // MetricType
    std::uint8_t origin;  // Origin
    MetricTotal total;
    std::uint8_t per;  // the level that is shown beside the total: 0 the objects, 1 processes, 2 hosts, 3 the system
    std::uint32_t reserved;
    char unit[16];  // these three: padded with zeros, cut off where too long
    char name[48];
    char description[48];
};
static_assert(sizeof(SchemaEntry) == 128);

struct Row {
    std::uint64_t generation;  // odd: its object is being replaced; atomic
    std::uint64_t number;      // task: thread id; processor: its number; channel: the writer's own
    std::uint64_t key[3];      // channel: communicator, peer, direction
    std::uint64_t begin;       // CLOCK_MONOTONIC, ns
    std::uint64_t end;         // 0: it still exists
    std::uint32_t state;       // RowState; atomic
    std::uint32_t writer;      // id of the one thread that writes the cells
    std::uint64_t fill;        // odd: standard cells are being filled; atomic
    std::uint64_t filled;      // time of the last fill
    char name[32];             // padded with zeros
    std::uint64_t reserved[2];
    // Then `cells` words of 64 bits, then `timers` times a Timer.
};
static_assert(sizeof(Row) == 128);

struct Timer {
    std::uint64_t since;  // ticks at the outermost start
    std::uint32_t depth;  // 0: stopped
    std::uint32_t cell;   // where its time is added, in nanoseconds; 0: not bound
};
static_assert(sizeof(Timer) == 16);

constexpr std::uint32_t row_bytes(std::uint32_t cells, std::uint32_t timers) {
    return static_cast<std::uint32_t>(sizeof(Row)) + cells * 8 + timers * 16;
}

}  // namespace kymo::cells
