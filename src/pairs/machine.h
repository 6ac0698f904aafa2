// The pair machine: finds, in constant memory and while events arrive, the sources that cause more than a given share
// of them (paired sampling: US patent 9,280,438; its sequential form: A. Wald, Sequential Tests of Statistical
// Hypotheses, 1945).
//
// A cell captures the address (key) of one event and then watches what share of the *subsequent* events has that key.
//   literal pair     both counters start at 0 after the capture. The matching one reaches T2 before the other reaches
//                    T1, or with it: found. T1 comes first: missed.
//   sequential test  a score starts at s0; an event takes off one, a match adds the gain; the upper bound: found; 0:
//                    missed.
// After a miss the cell rests a random gap and captures another event's key. Cells never test the same key. A source
// that was found is not captured again; it is followed, and when its share has fallen off it goes *quiet* and may be
// found anew.
//
// How it is quick. A cell does not keep its score but the time at which the score will be used up, its `death`; a
// match moves the death away, and a miss needs no work at all. So an event costs one addition, one comparison with
// the nearest death, and one bit test that tells whether any key followed here could be meant.
//
// Contract: no calls, no allocation, no locks; one user at a time. Key 0 means nothing and is never captured. The
// same source runs in a signal handler and, compiled for it, as an eBPF program: bounded loops only. All zero bytes
// and a valid rule are a machine ready to run. Costs: bench/pairs and docs/hunt.md; 16 bytes a cell.
#pragma once

#include "pairs/rule.h"

namespace kymo::pairs {

constexpr uint32_t kMaxFound = 32;

struct Cell {
    uint64_t key = 0;    // 0: at rest until `death`
    uint32_t death = 0;  // clock, low 32 bits
    uint32_t matches : 26 = 0;
    uint32_t epoch : 6 = 0;
};
static_assert(sizeof(Cell) == 16);

// A source that was found, and what its test and the time since have seen.
struct Found {
    uint64_t key = 0;      // 0: this place is free
    uint64_t since = 0;    // clock at the find
    uint64_t matches = 0;  // after the find
    uint32_t death = 0;    // goes quiet then
    uint32_t number = 0;   // finds are numbered from 1
    uint32_t test_events = 0;
    uint32_t test_matches = 0;
};

enum class Turn : uint32_t { kNothing = 0, kFound = 1, kQuiet = 2 };

struct Verdict {
    Turn turn = Turn::kNothing;
    uint32_t slot = 0;  // of Machine::found
};

struct Machine {
    Rule rule;
    uint64_t clock = 0;     // ticks: events looked at × unit
    uint64_t filter = 0;    // bit: a key that is followed here may have this hash
    uint64_t captures = 0;  // so far
    uint32_t next = 0;      // nothing is due before (low 32 bits of the clock)
    uint32_t random = 0;
    uint32_t skip = 0;  // events to pass over
    uint32_t epoch = 0;
    uint32_t finds = 0;
    uint32_t overfull = 0;   // finds that had no place
    uint32_t found_end = 0;  // places behind it are free
    Cell cells[kMaxCells];
    Found found[kMaxFound];
};

#ifdef __bpf__
// eBPF verifies what is not inlined on its own, without knowing where its pointers point.
#define KYMO_PAIRS static inline __attribute__((always_inline))
#else
#define KYMO_PAIRS inline
#endif

// ---- inside

KYMO_PAIRS uint64_t filter_bit(uint64_t key) {
    return uint64_t{1} << ((key * 0x9E3779B97F4A7C15U) >> 58U);
}

// xorshift32 (Marsaglia, 2003)
KYMO_PAIRS uint32_t next_random(Machine& machine) {
    uint32_t x = machine.random != 0 ? machine.random : 0x6B796D6FU;
    x ^= x << 13U;
    x ^= x >> 17U;
    x ^= x << 5U;
    machine.random = x;
    return x;
}

KYMO_PAIRS uint32_t random_below(Machine& machine, uint32_t bound) {
    return static_cast<uint32_t>((uint64_t{next_random(machine)} * bound) >> 32U);
}

// Ticks from `now` to `then`; negative: past.
KYMO_PAIRS int32_t ticks_to(uint32_t then, uint32_t now) {
    return static_cast<int32_t>(then - now);
}

KYMO_PAIRS void rest(Machine& machine, Cell& cell, uint32_t now) {
    const uint32_t events = machine.rule.gap == 0 ? 0 : random_below(machine, machine.rule.gap);
    cell.key = 0;
    cell.death = now + (events + 1) * machine.rule.unit;
}

KYMO_PAIRS void capture(Machine& machine, Cell& cell, uint64_t key, uint32_t now) {
    ++machine.captures;
    if (machine.epoch + 1 < machine.rule.epochs && (machine.captures >> (machine.epoch + 1)) != 0) {
        ++machine.epoch;
    }
    const uint32_t epoch = machine.epoch < kMaxEpochs ? machine.epoch : kMaxEpochs - 1;
    cell.key = key;
    cell.death = now + machine.rule.epoch[epoch].start;
    cell.matches = 0;
    cell.epoch = epoch & 0x3FU;
}

// Events after the capture of a cell under test, at `now`.
KYMO_PAIRS uint32_t events_of(const Machine& machine, const Cell& cell, uint32_t now) {
    const uint32_t epoch = cell.epoch < kMaxEpochs ? cell.epoch : kMaxEpochs - 1;
    const uint32_t captured = cell.death - machine.rule.epoch[epoch].start - cell.matches * machine.rule.gain;
    return (now - captured) / machine.rule.unit;
}

// Counts a match in a cell; whether that decides the test for the key.
KYMO_PAIRS bool match(const Machine& machine, Cell& cell, uint32_t now) {
    const uint32_t epoch = cell.epoch < kMaxEpochs ? cell.epoch : kMaxEpochs - 1;
    const uint32_t bound = machine.rule.epoch[epoch].bound;
    cell.matches = (cell.matches + 1U) & 0x3FFFFFFU;
    cell.death += machine.rule.gain;
    return machine.rule.form == Form::kPair ? cell.matches >= bound
                                            : ticks_to(cell.death, now) >= static_cast<int32_t>(bound);
}

KYMO_PAIRS Verdict report(Machine& machine, Cell& cell, uint32_t now) {
    Verdict verdict;
    for (uint32_t i = 0; i < kMaxFound; ++i) {
        Found& found = machine.found[i];
        if (found.key == 0) {
            found.key = cell.key;
            found.since = machine.clock;
            found.matches = 0;
            found.death = now + machine.rule.hold;
            found.number = ++machine.finds;
            found.test_events = events_of(machine, cell, now);
            found.test_matches = cell.matches;
            machine.found_end = machine.found_end > i + 1 ? machine.found_end : i + 1;
            verdict.turn = Turn::kFound;
            verdict.slot = i;
            break;
        }
    }
    if (verdict.turn == Turn::kNothing) {
        ++machine.overfull;
    }
    rest(machine, cell, now);
    return verdict;
}

// The kernel's verifier follows every way out of a loop that ends early, and gives up: there all places are looked
// at.
KYMO_PAIRS uint32_t places_to_look_at([[maybe_unused]] const Machine& machine) {
#ifdef __bpf__
    return kMaxFound;
#else
    return machine.found_end < kMaxFound ? machine.found_end : kMaxFound;
#endif
}

KYMO_PAIRS Verdict count_match(Machine& machine, uint64_t key, uint32_t now, bool* followed) {
    for (uint32_t i = 0; i < places_to_look_at(machine); ++i) {
        Found& found = machine.found[i];
        if (found.key == key) {
            ++found.matches;
            found.death += machine.rule.hold_gain;
            if (ticks_to(found.death, now) > static_cast<int32_t>(machine.rule.hold)) {
                found.death = now + machine.rule.hold;
            }
            *followed = true;
            return {};
        }
    }
    for (uint32_t i = 0; i < kMaxCells && i < machine.rule.cells; ++i) {
        Cell& cell = machine.cells[i];
        if (cell.key == key) {
            *followed = true;
            return match(machine, cell, now) ? report(machine, cell, now) : Verdict{};
        }
    }
    return {};
}

// Whatever is due: missed tests, captures, sources gone quiet (one an event; the next event sees to the next).
KYMO_PAIRS Verdict sweep(Machine& machine, uint64_t key, uint32_t now, bool followed) {
    Verdict verdict;
    uint64_t filter = 0;
    uint32_t next = now + kMostTicks;
    for (uint32_t i = 0; i < kMaxCells && i < machine.rule.cells; ++i) {
        Cell& cell = machine.cells[i];
        if (ticks_to(cell.death, now) <= 0) {
            if (cell.key != 0) {
                rest(machine, cell, now);
            } else if (!followed && key != 0) {
                capture(machine, cell, key, now);
                followed = true;
            } else {
                cell.death = now;
            }
        }
        filter |= cell.key != 0 ? filter_bit(cell.key) : 0;
        next = ticks_to(cell.death, next) < 0 ? cell.death : next;
    }
    for (uint32_t i = 0; i < places_to_look_at(machine); ++i) {
        const Found& found = machine.found[i];
        if (found.key == 0) {
            continue;
        }
        if (ticks_to(found.death, now) <= 0) {
            verdict.turn = Turn::kQuiet;
            verdict.slot = i;
        }
        filter |= filter_bit(found.key);
        next = ticks_to(found.death, next) < 0 ? found.death : next;
    }
    machine.filter = filter;
    machine.next = next;
    return verdict;
}

KYMO_PAIRS Verdict look_closer(Machine& machine, uint64_t key, uint32_t now) {
    bool followed = false;
    const Verdict verdict =
        (machine.filter & filter_bit(key)) != 0 && key != 0 ? count_match(machine, key, now, &followed) : Verdict{};
    if (verdict.turn != Turn::kNothing) {
        machine.next = now;  // the next event sweeps
        machine.filter |= filter_bit(key);
        return verdict;
    }
    return ticks_to(machine.next, now) <= 0 ? sweep(machine, key, now, followed) : Verdict{};
}

// ---- for users

// Makes a machine ready. `seed`: of the gaps; any number.
KYMO_PAIRS void start(Machine& machine, const Rule& rule, uint32_t seed) {
    machine = Machine{};
    machine.rule = rule;
    machine.random = seed;
    for (uint32_t i = 0; i < rule.cells; ++i) {
        rest(machine, machine.cells[i], 0);
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
    machine.clock += machine.rule.unit;
    const auto now = static_cast<uint32_t>(machine.clock);
    if (__builtin_expect(ticks_to(machine.next, now) > 0 && (machine.filter & filter_bit(key)) == 0, 1)) {
        return {};
    }
    return look_closer(machine, key, now);
}

KYMO_PAIRS void release(Machine& machine, uint32_t slot) {
    if (slot < kMaxFound) {
        machine.found[slot].key = 0;
        machine.next = static_cast<uint32_t>(machine.clock);
    }
}

KYMO_PAIRS uint64_t events_seen(const Machine& machine) {
    return machine.clock / machine.rule.unit;
}

// Events since a find, at the present clock.
KYMO_PAIRS uint64_t events_since(const Machine& machine, const Found& found) {
    return (machine.clock - found.since) / machine.rule.unit;
}

}  // namespace kymo::pairs
