// The state of a pair machine; machine.h describes how it works.
#pragma once

#include "pairs/rule.h"

namespace kymo::pairs {

constexpr uint32_t kMaxFound = 32;
constexpr uint32_t kPlaces = 256;
constexpr uint32_t kFollowed = kMaxCells + kMaxFound;  // slots behind it are unused
constexpr uint32_t kNobodies = 8;  // several, so that misses in a row do not wait for each other's addition
constexpr uint32_t kSlots = kFollowed + kNobodies;

// One source that is followed. Slots below kMaxCells are the cells; then come the finds.
struct Cell {
    uint64_t key = 0;    // 0: none
    uint32_t death = 0;  // cell: its score is used up then; find: it is quiet then, except for matches in `tally`
    uint32_t tally = 0;  // matches × kOneMatch; below them, of a cell, epoch and gap
};
static_assert(sizeof(Cell) == 16);
constexpr uint32_t kOneMatch = 1U << 12U;

// What a source's test has seen, and the time since.
struct Found {
    uint64_t since = 0;    // clock at the find
    uint64_t matches = 0;  // after the find, except those in its slot's tally
    uint32_t number = 0;   // finds are numbered from 1
    uint32_t test_events = 0;
    uint32_t test_matches = 0;
};

enum class Turn : uint32_t { kNothing = 0, kFound = 1, kQuiet = 2 };

struct Verdict {
    Turn turn = Turn::kNothing;
    uint32_t slot = 0;  // of Machine::found
};

// The clock counts ticks: events inspected × unit. It is kept as what is `left` of it until something is due, at
// `end` (low 32 bits), which costs an event one subtraction. Both are read and written as one word, so that a
// reader beside the machine's user (of a mapped one) sees a clock value that existed.
struct alignas(8) Countdown {
    int32_t left;
    uint32_t end;
};

struct Machine {
    Rule rule;
    Countdown countdown{};
    uint64_t base = 0;        // the clock a while ago
    uint64_t factor = 0;      // of the hash
    uint64_t captures = 0;    // so far
    uint32_t next_found = 0;  // nothing is due before, of the finds alone
    uint32_t gap_step = 0;    // ticks
    uint32_t gap_steps = 0;
    uint32_t random = 0;
    uint32_t skip = 0;  // events to pass over
    uint32_t epoch = 0;
    uint32_t finds = 0;
    uint32_t overfull = 0;   // finds that had no place
    uint32_t found_end = 0;  // finds behind it are free
    uint32_t scratch = 0;
    uint8_t place[kPlaces] = {};
    Cell cells[kSlots];
    Found found[kMaxFound];
};

#ifdef __bpf__
// eBPF verifies what is not inlined on its own, without knowing where its pointers point.
#define KYMO_PAIRS static inline __attribute__((always_inline))
#define KYMO_PAIRS_RARE KYMO_PAIRS
// The verifier tracks every value that it has bounds for through all later code. A value that has been in the map
// has no bounds, which keeps the verifier's work within its limit.
#define KYMO_PAIRS_UNKNOWN(machine, value)                          \
    (*const_cast<volatile uint32_t*>(&(machine).scratch) = (value), \
     *const_cast<volatile uint32_t*>(&(machine).scratch))
#else
#define KYMO_PAIRS inline
#define KYMO_PAIRS_RARE __attribute__((noinline)) inline
#define KYMO_PAIRS_UNKNOWN(machine, value) (value)
#endif

KYMO_PAIRS uint32_t place_of(uint64_t key, uint64_t factor) {
    return static_cast<uint32_t>((key * factor) >> 56U);
}

// The low 32 bits of the clock.
KYMO_PAIRS uint32_t now_of(const Countdown& countdown) {
    return countdown.end - static_cast<uint32_t>(countdown.left);
}

KYMO_PAIRS uint64_t clock_at(uint32_t now, uint64_t base) {
    return base + static_cast<uint64_t>(int64_t{static_cast<int32_t>(now - static_cast<uint32_t>(base))});
}

KYMO_PAIRS uint64_t clock_of(const Machine& machine) {
    Countdown countdown{};
    uint64_t both = 0;
    __builtin_memcpy(&both, &machine.countdown, sizeof both);
    __builtin_memcpy(&countdown, &both, sizeof both);
    return clock_at(now_of(countdown), machine.base);
}

// Ticks from `now` to `then`; negative: past.
KYMO_PAIRS int32_t ticks_to(uint32_t then, uint32_t now) {
    return static_cast<int32_t>(then - now);
}

KYMO_PAIRS uint32_t random_below(Machine& machine, uint32_t bound) {
    // xorshift32 (Marsaglia, 2003)
    uint32_t x = machine.random != 0 ? machine.random : 0x6B796D6FU;
    x ^= x << 13U;
    x ^= x >> 17U;
    x ^= x << 5U;
    machine.random = x;
    return static_cast<uint32_t>((uint64_t{x} * bound) >> 32U);
}

}  // namespace kymo::pairs
