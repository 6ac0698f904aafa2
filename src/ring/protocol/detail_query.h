// Detail queries and rows: the manager's question for the single objects of one host, and what its agent says
// (docs/ring-protocol.md, "Detail queries and rows").
//
// A query asks for tables; rows are an answer's, of one reading of the cells. Bounded: at most kMaxTables of
// kMaxRows of kMaxMetrics, some 1.3 MB. What was left out is in a table's `there`. A query may come twice.
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
    Slot slot;  // of a query whom it is for, of rows whose they are
    std::uint16_t tables;
    std::uint16_t reserved;
    std::uint64_t incarnation;  // of the agent that answers; in queries 0
    std::uint64_t number;       // from 1, within an epoch
};
static_assert(sizeof(DetailHead) == 24);

struct ReadingFacts {
    std::uint64_t read;        // when; agent's clock
    std::uint32_t unreadable;  // segments
    std::uint32_t refused;     // threads and channels without cells
};
static_assert(sizeof(ReadingFacts) == 16);

struct TableHead {
    std::uint8_t kind;   // Resource
    std::uint8_t level;  // ResourceLevel: kObject, of tasks also kProcess
    std::uint16_t metrics;
    std::uint32_t rows;     // of a query: at most so many are wanted
    std::uint64_t process;  // whose; kEvery: everybody's
    std::uint32_t order;    // bits of metrics by whose sum the greatest come first
    std::uint32_t there;    // in rows: that there are; in queries 0
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
    std::uint32_t objects;  // of a process, its threads that are there
    std::uint32_t unknown;  // bit i: metric i is not known; its value is 0
    RowIs state;
    std::uint8_t direction;                // of channels: cells::ChannelDirection
    std::uint16_t image;                   // which of the programs that the process has been
    std::array<char, kRowNameBytes> name;  // padded with zeros
    bool operator==(const RowHead&) const = default;
};
static_assert(sizeof(RowHead) == 80);

struct AskedTable {
    TableHead head{};  // its `metrics` is made from these:
    std::vector<std::uint32_t> metrics;
    bool operator==(const AskedTable&) const = default;
};

struct TableRow {
    RowHead head{};
    std::vector<std::uint64_t> values;  // modulo 2^64
    [[nodiscard]] bool knows(std::size_t metric) const { return (head.unknown >> metric & 1U) == 0; }
    // The name's bytes: whatever they are, no zeros.
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

// Cut where it is longer.
std::array<char, kRowNameBytes> row_name(std::string_view name);

Refusal open_detail_query(std::span<const std::uint8_t> frame, Prefix& prefix, DetailQuery& query);
Refusal open_rows(std::span<const std::uint8_t> frame, Prefix& prefix, Rows& rows);
// Precondition: within the bounds above; each row has its table's number of values.
Bytes make_detail_query(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const DetailQuery& query);
Bytes make_rows(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const Rows& rows);

}  // namespace kymo::ring
