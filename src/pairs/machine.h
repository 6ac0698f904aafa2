// The pair machine: finds, in constant memory and while events arrive, the sources that cause more than a given share
// of them (paired sampling: US patent 9,280,438; its sequential form: A. Wald, Sequential Tests of Statistical
// Hypotheses, 1945).
//
// A cell captures the address (key) of one event and then watches what share of the *subsequent* events has that key.
//   literal pair     both counters start at 0 after the capture. The matching one reaches T2 before the other reaches
//                    T1, or with it: found. T1 comes first: missed.
//   sequential test  a score starts at s0; an event takes off one, a match adds the gain; the upper bound: found; 0:
//                    missed.
// After a miss the cell rests a random gap and captures another event's key. Cells never hold the same key. A source
// that was found is not captured again; it is followed, and when its share has fallen off it goes *quiet* and may be
// found anew.
//
// How it is quick. All keys that are followed, under test or found, have a slot in one array; `place` is a table of
// bytes from a hash of a key to its slot, in which no two of them share a byte (the hash's factor is drawn anew when
// two would). So an event costs one look into that table, one comparison of keys and one addition without a branch
// (whether an event matches is what no processor can predict). A cell does not keep its score but the time at which
// the score will be used up, its `death`, so a miss needs no work; cells and finds are looked through when the first
// of them is due (upkeep.h).
//
// Contract: no calls, no allocation, no locks; one user at a time. Key 0 means nothing and is never captured. The
// same source runs in a signal handler and, compiled for it, as an eBPF program: bounded loops only. start() makes a
// machine ready. Costs: bench/pairs and docs/hunt.md; 16 bytes a cell.
#pragma once

#include "pairs/rule.h"

namespace kymo::pairs {

constexpr uint32_t kMaxFound = 32;
constexpr uint32_t kPlaces = 256;
constexpr uint32_t kFollowed = kMaxCells + kMaxFound;  // slots behind it are nobody's
constexpr uint32_t kNobodies = 8;  // several, so that misses in a row do not wait for each other's addition
constexpr uint32_t kSlots = kFollowed + kNobodies;

// One source that is followed. Slots below kMaxCells are the cells; then come the finds.
struct Cell {
    uint64_t key = 0;    // 0: none
    uint32_t death = 0;  // cell: its score is used up then; find: it goes quiet then, but for the matches in `tally`
    uint32_t tally = 0;  // matches × kOneMatch; below them, of a cell, epoch and gap
};
static_assert(sizeof(Cell) == 16);
constexpr uint32_t kOneMatch = 1U << 12U;

// What a source's test has seen, and the time since.
struct Found {
    uint64_t since = 0;    // clock at the find
    uint64_t matches = 0;  // after the find, but for those in its slot's tally
    uint32_t number = 0;   // finds are numbered from 1
    uint32_t test_events = 0;
    uint32_t test_matches = 0;
};

enum class Turn : uint32_t { kNothing = 0, kFound = 1, kQuiet = 2 };

struct Verdict {
    Turn turn = Turn::kNothing;
    uint32_t slot = 0;  // of Machine::found
};

// The clock counts ticks: events looked at × unit. Kept as what is `left` of it until something is due, at `end` (low
// 32 bits), which costs an event one subtraction. Both are read and written as one word, so that a reader beside the
// machine's user (of a mapped one) sees a clock that was.
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
// The verifier follows every value that it knows through all that comes after. What has been in the map it no longer
// knows, which keeps its work within its limit.
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

#include "pairs/upkeep.h"

namespace kymo::pairs {

// Makes a machine ready. `seed`: of the gaps; any number.
KYMO_PAIRS void start(Machine& machine, const Rule& rule, uint32_t seed) {
    machine = Machine{};
    machine.rule = rule;
    machine.random = seed;
    machine.factor = 0x9E3779B97F4A7C15U;
    for (uint32_t i = 0; i < kPlaces; ++i) {
        machine.place[i] = nobody(i);
    }
    machine.gap_step = (rule.gap + kMostGaps - 1) / kMostGaps * rule.unit;
    machine.gap_steps = rule.gap == 0 ? 1 : (rule.gap * rule.unit + machine.gap_step - 1) / machine.gap_step;
    for (uint32_t i = 0; i < rule.cells; ++i) {
        machine.cells[i].tally = random_gap(machine);
    }
}

// One event. kFound: found[slot] is new. kQuiet: found[slot] has lost its share; the caller takes what it wants to
// keep of it and calls release().
KYMO_PAIRS Verdict step(Machine& machine, uint64_t key) {
    if (machine.rule.period > 1) {
        if (machine.skip != 0) {
            --machine.skip;
            return {};
        }
        machine.skip = random_below(machine, 2 * machine.rule.period - 1);
    }
    const uint32_t slot = machine.place[place_of(key, machine.factor)];
#ifdef __bpf__
    if (slot >= kSlots) {
        return {};  // never; the verifier does not know
    }
#endif
    Cell& cell = machine.cells[slot];
    const bool follows = cell.key == key;
    cell.tally += follows ? kOneMatch : 0;
    machine.countdown.left -= static_cast<int32_t>(machine.rule.unit);
    const bool is_due = machine.countdown.left <= 0;
    const bool tests = static_cast<int>(follows) & static_cast<int>(slot < kMaxCells);
    if (__builtin_expect(is_due, 0) || __builtin_expect(tests, 0)) {
        return look_closer(machine, key, slot, follows);
    }
    return {};
}

// After kQuiet.
KYMO_PAIRS void release(Machine& machine, uint32_t slot) {
    if (slot < kMaxFound) {
        forget(machine, machine.cells[kMaxCells + slot]);
        set_due(machine, 0);
    }
}

// 0: this place is free.
KYMO_PAIRS uint64_t found_key(const Machine& machine, uint32_t slot) {
    return slot < kMaxFound ? machine.cells[kMaxCells + slot].key : 0;
}

// Since the find.
KYMO_PAIRS uint64_t found_matches(const Machine& machine, uint32_t slot) {
    return slot < kMaxFound ? machine.found[slot].matches + machine.cells[kMaxCells + slot].tally / kOneMatch : 0;
}

// The key under test in a cell; 0: it rests.
KYMO_PAIRS uint64_t tested_key(const Machine& machine, uint32_t cell) {
    const Cell& at = machine.cells[cell < kMaxCells ? cell : 0];
    return ticks_to(at.death, now_of(machine.countdown)) > 0 ? at.key : 0;
}

KYMO_PAIRS uint64_t events_seen(const Machine& machine) {
    return clock_of(machine) / machine.rule.unit;
}

// Events since a find, at the present clock.
KYMO_PAIRS uint64_t events_since(const Machine& machine, const Found& found) {
    return (clock_of(machine) - found.since) / machine.rule.unit;
}

}  // namespace kymo::pairs
