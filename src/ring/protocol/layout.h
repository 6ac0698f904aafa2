// The byte layout of the service ring's frames: docs/ring-protocol.md as constants and structs.
//
// The manager sends tokens round, and agents fill them. A member's heartbeats describe the state of the ring to
// the next member; the manager requests one with a probe. The manager's orders, which agents answer, switch what
// is counted (order.h). Queries ask one agent for its single objects (detail_query.h) or for descriptions of
// metrics (metric_query.h). Integers are little-endian, times nanoseconds. The structs are copied from and to the
// bytes, so a frame need not be aligned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kymo::ring {

static_assert(std::endian::native == std::endian::little, "frames are copied as they are");

// A reader refuses a higher major version and accepts a higher minor one.
inline constexpr std::uint8_t kMajorVersion = 1;
// 1: orders and answers; 2: queries and rows; 3: descriptions; 4: ends of channels, objects of one host or
// process; 5: heartbeats go to the next member, whose transport answers
inline constexpr std::uint8_t kMinorVersion = 5;
inline constexpr std::uint8_t kAnswersSince = 5;
inline constexpr char kMagic[4] = {'K', 'Y', 'R', 'G'};

// A place in the ring, from 0; fixed for the life of a job.
using Slot = std::uint32_t;
inline constexpr Slot kManager = 0xFFFFFFFF;

// Bounds that a reader enforces.
inline constexpr std::size_t kMaxFrameBytes = 16U << 20U;
inline constexpr std::uint32_t kMaxSlots = 1U << 20U;
inline constexpr std::uint32_t kMaxEntries = 1024;
inline constexpr std::uint64_t kWindow = 64;     // sequences between the oldest in flight and the newest
inline constexpr std::uint32_t kHoleRanges = 8;  // of slots that were passed over, listed one by one

enum class FrameKind : std::uint8_t {
    kToken = 1,
    kHeartbeat = 2,
    kFarewell = 3,
    kProbe = 4,
    kOrder = 5,
    kAnswer = 6,
    kDetailQuery = 7,
    kRows = 8,
    kMetricQuery = 9,
    kDescriptions = 10
};

enum class Mode : std::uint8_t {
    kAppend = 1,  // a part for each slot
    kReduce = 2,  // one record for each entry, over all slots
};

struct Prefix {
    char magic[4];
    std::uint8_t major;
    std::uint8_t minor;
    FrameKind kind;
    std::uint8_t reserved;
    std::uint32_t bytes;  // of the whole frame
    std::uint32_t slots;  // in the sender's roster
    std::uint64_t job;
    std::uint64_t epoch;  // the manager's incarnation; in heartbeats the greatest that the sender has seen
};
static_assert(sizeof(Prefix) == 32);

struct HoleRange {
    Slot first;
    std::uint32_t count;
    bool operator==(const HoleRange&) const = default;
};

enum : std::uint16_t { kHolesUntold = 1 };  // hole_flags: there are more holes than the ranges list

struct TokenHeader {
    std::uint64_t sequence;      // from 1, within an epoch
    std::uint64_t oldest;        // that the manager still waits for
    std::uint64_t sent;          // manager's clock
    std::uint64_t clock;         // identifies that clock; 0: not known
    std::uint64_t returned;      // a sequence that has returned; 0: none
    std::uint64_t returned_at;   // when it returned; manager's clock
    std::uint64_t announced;     // a later sequence; 0: none
    std::uint64_t announced_at;  // when to latch the cells for it: manager's clock
    Slot first;                  // the span: slots first to end - 1
    Slot end;
    Slot next;                  // slots before it have contributed or are holes
    std::uint32_t hops;         // agents that have handled the token
    std::uint32_t contributed;  // slots included in the figures
    std::uint32_t off_time;     // of them, latched at a time other than the announced one
    std::uint64_t moved;        // bytes sent so far, over all hops
    std::uint64_t work;         // the largest processor time that an agent spent on a token
    std::uint64_t earliest;     // latch, in the manager's clock as agents estimate it
    std::uint64_t latest;
    std::uint64_t clock_error;  // the largest that any of them assumes
    Mode mode;
    std::uint8_t reserved;
    std::uint16_t entries;
    std::uint16_t hole_ranges;  // in use
    std::uint16_t hole_flags;
    HoleRange holes[kHoleRanges];
};
static_assert(sizeof(TokenHeader) == 200);

// A requested metric: of a resource at a level of its hierarchy (base/resource.h).
struct Entry {
    std::uint8_t kind;     // Resource
    std::uint8_t level;    // ResourceLevel
    std::uint16_t of;      // EntryOf
    std::uint32_t metric;  // a cell's index, or kByName with the name's code
    std::uint64_t number;  // object at that level; kEvery: all; with `of` it has parts (EntryNumber)
    bool operator==(const Entry&) const = default;
};
static_assert(sizeof(Entry) == 16);

inline constexpr std::uint64_t kEvery = ~std::uint64_t{0};
inline constexpr std::uint32_t kByName = 0x80000000;

// Since 1.4: the numbers belong to one host, or to one of its processes. Earlier agents find no such object.
enum EntryOf : std::uint16_t { kOfHost = 1, kOfProcess = 2 };

// The parts of such a number. Linux has fewer than 2^22 - 1 threads, processes and processors.
struct EntryNumber {
    static constexpr unsigned kBits = 22;
    static constexpr std::uint64_t kAll = (std::uint64_t{1} << kBits) - 1;  // every object
    static constexpr std::uint64_t kHosts = std::uint64_t{1} << (64U - 2 * kBits);
    std::uint64_t object = 0;
    std::uint64_t process = 0;  // with kOfProcess
    std::uint64_t host = 0;     // with kOfHost: a slot

    static constexpr EntryNumber of(std::uint64_t number) {
        return {number & kAll, number >> kBits & kAll, number >> 2 * kBits};
    }
    [[nodiscard]] constexpr bool has_room() const { return object <= kAll && process < kAll && host < kHosts; }
    [[nodiscard]] constexpr std::uint64_t packed() const { return host << 2 * kBits | process << kBits | object; }
};

// A part's head in append mode; its records follow.
enum class PartState : std::uint8_t { kHole = 0, kOnTime = 1, kOffTime = 2 };
struct Part {
    PartState state;
    std::uint8_t reserved[3];
    Slot slot;
    std::uint64_t incarnation;
    std::uint64_t received;  // agent's clock, as the next
    std::uint64_t latched;
    std::int64_t offset;        // agent's clock less the manager's, estimated
    std::uint64_t clock_error;  // error of the offset
    bool operator==(const Part&) const = default;
};
static_assert(sizeof(Part) == 48);

// Heartbeats, farewells and probes.
struct Heartbeat {
    Slot slot;  // the sender
    std::uint32_t reserved;
    std::uint64_t incarnation;
    std::uint64_t sent;      // sender's clock
    std::uint64_t sequence;  // the newest that the sender has seen, and its span; 0: none
    Slot first;
    Slot end;
};
static_assert(sizeof(Heartbeat) == 40);

inline constexpr std::size_t kTokenHeadBytes = sizeof(Prefix) + sizeof(TokenHeader);
inline constexpr std::size_t kHeartbeatBytes = sizeof(Prefix) + sizeof(Heartbeat);

}  // namespace kymo::ring
