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
// that was found is not captured again; it is followed, and when its share has fallen it goes *quiet* and may be
// found again.
//
// Speed. All keys that are followed, under test or found, have a slot in one array; `place` is a table of
// bytes from a hash of a key to its slot, in which no two of them share a byte (the hash's factor is drawn again when
// two would). So an event costs one look into that table, one comparison of keys and one addition without a branch
// (no processor can predict whether an event matches). A cell does not keep its score but the time at which
// the score will be used up, its `death`, so a miss needs no work; cells and finds are looked through when the first
// of them is due (upkeep.h).
//
// Contract: no calls, no allocation, no locks; one user at a time. Key 0 means nothing and is never captured. The
// same source runs in a signal handler and, compiled for it, as an eBPF program: bounded loops only. start() makes a
// machine ready. Costs: bench/pairs and docs/measurements.md; 16 bytes a cell.
#pragma once

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
        // Of the literal pair the first event is captured.
        machine.cells[i].tally = i == 0 && rule.form == Form::kPair ? 0 : random_gap(machine);
    }
}

// One event. kFound: found[slot] is new. kQuiet: found[slot] has lost its share; the caller copies what it needs
// and calls release().
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
        return {};  // never; the verifier cannot prove it
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
