// Detail queries and rows: the manager's request for the single objects of one host, and its agent's answer
// (docs/ring-protocol.md, "Detail queries and rows").
//
// A query names tables; the rows of an answer are from one reading of the cells. Bounded: at most kMaxTables of
// kMaxRows of kMaxMetrics, some 1.3 MB. A table's `there` also counts the rows that were left out. A query may
// arrive twice.
#pragma once

#include "ring/protocol/frame.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kymo::ring {

inline constexpr std::size_t kMaxTables = 4;
inline constexpr std::size_t kMaxRows = 1024;
inline constexpr std::size_t kMaxMetrics = 32;
inline constexpr std::size_t kRowNameBytes = 32;
inline constexpr std::uint8_t kDetailsSince = 2;  // minor version
inline constexpr std::uint8_t kEndsSince = 4;     // rows of ends of channels: an earlier manager refuses them

// Of both frames.
struct DetailHead {
    Slot slot;  // of a query: its addressee; of rows: their sender
    std::uint16_t tables;
    std::uint16_t reserved;
    std::uint64_t incarnation;  // of the answering agent; in queries 0
    std::uint64_t number;       // from 1, within an epoch
};
static_assert(sizeof(DetailHead) == 24);

struct ReadingFacts {
    std::uint64_t read;        // time of the reading; agent's clock
    std::uint32_t unreadable;  // segments
    std::uint32_t refused;     // threads and channels without cells
};
static_assert(sizeof(ReadingFacts) == 16);

struct TableHead {
    std::uint8_t kind;   // Resource
    std::uint8_t level;  // ResourceLevel: kObject, of tasks also kProcess
    std::uint16_t metrics;
    std::uint32_t rows;     // of a query: the maximum number
    std::uint64_t process;  // owner; kEvery: all processes
    std::uint32_t order;    // bits of metrics: rows are sorted by the sum of these, largest first
    std::uint32_t there;    // in rows: how many exist; in queries 0
    bool operator==(const TableHead&) const = default;
};
static_assert(sizeof(TableHead) == 24);

enum class RowIs : std::uint8_t { kThere = 1, kEnded = 2, kSumOfEnded = 3 };

struct RowHead {
    std::uint64_t number;  // processor, process id, thread id; of a channel 0
    std::uint64_t begin;   // of a thread or program; agent's clock
    std::uint64_t communicator;
    std::uint64_t peer;
    std::uint32_t process;
    std::uint32_t objects;  // of a process: the number of its live threads
    std::uint32_t unknown;  // bit i: metric i is not known; its value is 0
    RowIs state;
    std::uint8_t direction;                // of channels: cells::ChannelDirection
    std::uint16_t image;                   // which of the programs that the process has executed
    std::array<char, kRowNameBytes> name;  // padded with zeros
    bool operator==(const RowHead&) const = default;
};
static_assert(sizeof(RowHead) == 80);

struct AskedTable {
    TableHead head{};  // its `metrics` is set from these
    std::vector<std::uint32_t> metrics;
    bool operator==(const AskedTable&) const = default;
};

struct TableRow {
    RowHead head{};
    std::vector<std::uint64_t> values;  // modulo 2^64
    [[nodiscard]] bool knows(std::size_t metric) const { return (head.unknown >> metric & 1U) == 0; }
    // The name's bytes without the zeros.
    [[nodiscard]] std::string name() const;
    bool operator==(const TableRow&) const = default;
};

struct ToldTable {
    TableHead head{};
    std::vector<TableRow> rows;
    bool operator==(const ToldTable&) const = default;
};

struct DetailQuery {
    DetailHead head{};
    std::vector<AskedTable> tables;
};

struct Rows {
    DetailHead head{};
    ReadingFacts facts{};
    std::vector<ToldTable> tables;
};

// Truncates a longer name.
std::array<char, kRowNameBytes> row_name(std::string_view name);

Refusal open_detail_query(std::span<const std::uint8_t> frame, Prefix& prefix, DetailQuery& query);
Refusal open_rows(std::span<const std::uint8_t> frame, Prefix& prefix, Rows& rows);
// Precondition: within the bounds above; each row has as many values as its table has metrics.
Bytes make_detail_query(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const DetailQuery& query);
Bytes make_rows(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const Rows& rows);

}  // namespace kymo::ring
