// Work of the pair machine beside counting: captures, decided tests, and care of finds. For machine.h alone, which
// describes the whole.
//
// A cell's time. Captured at c it dies at c + start + matches × gain; from then on it rests: a match no longer
// counts, and `gap` events later it is due to capture again. (Its key keeps its slot until then, which saves a
// second look-up.)
//
// A find's time. Its slot counts matches; when the find is due they are turned into time, hold_gain ticks each, of
// which it may save up `hold`. None left: quiet. So a source that loses its share is quiet after one to two holds.
#pragma once

#include "pairs/machine_state.h"

namespace kymo::pairs {

// A cell's tally, from the top: 20 bits of matches, 5 of the epoch, 7 of the gap.
constexpr uint32_t kGapBits = 7;
constexpr uint32_t kMostGaps = 1U << kGapBits;
#ifdef __bpf__
constexpr uint32_t kHashTries = 1;
#else
constexpr uint32_t kHashTries = 16;
#endif
static_assert(kMaxEpochs <= 32 && kOneMatch == 1U << (kGapBits + 5U));
static_assert(uint64_t{kMostMatches} * kOneMatch == uint64_t{1} << 32U);

KYMO_PAIRS uint8_t nobody(uint32_t place) {
    return static_cast<uint8_t>(kFollowed + place % kNobodies);
}

KYMO_PAIRS uint32_t random_gap(Machine& machine) {
    return random_below(machine, machine.gap_steps);
}

KYMO_PAIRS uint32_t epoch_of(const Cell& cell) {
    const uint32_t epoch = (cell.tally >> kGapBits) & 31U;
    return epoch < kMaxEpochs ? epoch : kMaxEpochs - 1;
}

KYMO_PAIRS uint32_t matches_of(const Cell& cell) {
    return cell.tally / kOneMatch;
}

// When a cell captures again.
KYMO_PAIRS uint32_t due(const Machine& machine, const Cell& cell) {
    return cell.death + machine.rule.unit + machine.gap_step * (cell.tally % kMostGaps);
}

// The next thing is due in that many ticks; 0: at the next event.
KYMO_PAIRS void set_due(Machine& machine, int32_t ticks) {
    // (Reading both halves as one word so soon after one was written would wait for that to reach the cache.)
    machine.base = clock_at(now_of(machine.countdown), machine.base);
    const Countdown countdown{ticks, static_cast<uint32_t>(machine.base) + static_cast<uint32_t>(ticks)};
    uint64_t both = 0;
    __builtin_memcpy(&both, &countdown, sizeof both);
    __builtin_memcpy(&machine.countdown, &both, sizeof both);
}

KYMO_PAIRS void forget(Machine& machine, Cell& cell) {
    if (cell.key != 0) {
        const uint32_t place = place_of(cell.key, machine.factor);
        machine.place[place] = nobody(place);
        cell.key = 0;
    }
}

// Tries another factor for the hash: it must separate the followed keys and one more. With ten keys, four of five
// tries succeed.
KYMO_PAIRS_RARE void change_hash(Machine& machine, uint64_t one_more) {
    const uint64_t factor = uint64_t{random_below(machine, ~0U)} << 32U | random_below(machine, ~0U) | 1U;
    uint64_t taken[kPlaces / 64] = {};
    const uint32_t wanted = place_of(one_more, factor);
    taken[wanted / 64] = uint64_t{1} << (wanted % 64);
    uint64_t clashes = 0;
    for (uint32_t i = 0; i < kFollowed; ++i) {
        if (machine.cells[i].key != 0) {
            const uint32_t place = place_of(machine.cells[i].key, factor);
            const uint64_t bit = uint64_t{1} << (place % 64);
            clashes |= taken[place / 64] & bit;
            taken[place / 64] |= bit;
        }
    }
    if (clashes != 0) {
        return;
    }
    for (uint32_t i = 0; i < kPlaces; ++i) {
        machine.place[i] = nobody(i);
    }
    machine.factor = factor;
    for (uint32_t i = 0; i < kFollowed; ++i) {
        if (machine.cells[i].key != 0) {
            machine.place[place_of(machine.cells[i].key, factor)] = static_cast<uint8_t>(i);
        }
    }
}

// The cell is due, and the key is not followed.
KYMO_PAIRS void capture(Machine& machine, uint32_t slot, uint64_t key, uint32_t now) {
    Cell& cell = machine.cells[slot];
    forget(machine, cell);
    for (uint32_t i = 0; i < kHashTries && machine.place[place_of(key, machine.factor)] < kFollowed; ++i) {
        change_hash(machine, key);
    }
    const uint32_t place = place_of(key, machine.factor);
    if (machine.place[place] < kFollowed) {
        cell.death = now - machine.rule.unit;  // stays due, without a gap: the next event's key
        cell.tally = 0;
        return;
    }
    ++machine.captures;
    if (machine.epoch + 1 < machine.rule.epochs && (machine.captures >> (machine.epoch + 1)) != 0) {
        ++machine.epoch;
    }
    const uint32_t epoch = machine.epoch < kMaxEpochs ? machine.epoch : kMaxEpochs - 1;
    cell.key = key;
    cell.death = now + machine.rule.epoch[epoch].start;
    cell.tally = epoch << kGapBits | random_gap(machine);
    machine.place[place] = static_cast<uint8_t>(slot);
}

// The test is decided: the source moves to a find's slot.
KYMO_PAIRS_RARE Verdict report(Machine& machine, Cell& cell, uint32_t now) {
    const uint64_t key = cell.key;
    const uint32_t matches = matches_of(cell);
    const uint32_t captured = cell.death - machine.rule.epoch[epoch_of(cell)].start - matches * machine.rule.gain;
    forget(machine, cell);
    cell.death = now;
    cell.tally = random_gap(machine);
    set_due(machine, 0);  // the next event handles what is due
    uint32_t place = kMaxFound;
    for (uint32_t i = kMaxFound; i > 0; --i) {
        place = machine.cells[kMaxCells + i - 1].key == 0 ? i - 1 : place;
    }
    place = KYMO_PAIRS_UNKNOWN(machine, place);
    if (place >= kMaxFound) {
        ++machine.overfull;
        return {};
    }
    Found& found = machine.found[place];
    found.since = machine.base;
    found.matches = 0;
    found.number = ++machine.finds;
    found.test_events = (now - captured) / machine.rule.unit;
    found.test_matches = matches;
    machine.cells[kMaxCells + place] = {key, now + machine.rule.hold, 0};
    machine.place[place_of(key, machine.factor)] = static_cast<uint8_t>(kMaxCells + place);
    machine.found_end = machine.found_end > place + 1 ? machine.found_end : place + 1;
    machine.next_found = now;
    return {Turn::kFound, place};
}

// Whether the score was used up before the present event.
KYMO_PAIRS bool is_dead(const Machine& machine, const Cell& cell, uint32_t now) {
    return ticks_to(cell.death, now - machine.rule.unit) <= 0;
}

// A match of a cell, already in its tally. Whether it decides the test.
KYMO_PAIRS bool match(Machine& machine, Cell& cell, uint32_t now) {
    cell.death += machine.rule.gain;
    const uint32_t bound = machine.rule.epoch[epoch_of(cell)].bound;
    return machine.rule.form == Form::kPair ? matches_of(cell) >= bound
                                            : ticks_to(cell.death, now) >= static_cast<int32_t>(bound);
}

KYMO_PAIRS uint32_t sources_to_look_at([[maybe_unused]] const Machine& machine) {
#ifdef __bpf__
    return kMaxFound;  // (a loop that ends early has as many ways out as rounds, and the verifier follows each)
#else
    return machine.found_end < kMaxFound ? machine.found_end : kMaxFound;
#endif
}

// Turns matches into time, of all finds at once. Returns one that has gone quiet (one per event; the next event
// handles the next).
KYMO_PAIRS_RARE Verdict look_after_sources(Machine& machine, uint32_t now) {
    // The capacity of tallies.
    const uint64_t most = uint64_t{kMostMatches / 2} * machine.rule.unit;
    const int64_t hold = machine.rule.hold;
    int32_t next = static_cast<int32_t>(most < kMostTicks ? most : kMostTicks);
    uint32_t quiet = kMaxFound;
    for (uint32_t i = 0; i < sources_to_look_at(machine); ++i) {
        Cell& slot = machine.cells[kMaxCells + i];
        if (slot.key == 0) {
            continue;
        }
        const uint64_t matches = slot.tally / kOneMatch;
        machine.found[i].matches += matches;
        slot.tally = 0;
        const int64_t left = ticks_to(slot.death, now) + static_cast<int64_t>(matches * machine.rule.hold_gain);
        const auto saved = static_cast<int32_t>(left < hold ? left : hold);
        slot.death = now + static_cast<uint32_t>(saved);
        quiet = KYMO_PAIRS_UNKNOWN(machine, saved <= 0 ? i : quiet);
        next = static_cast<int32_t>(KYMO_PAIRS_UNKNOWN(machine, static_cast<uint32_t>(saved < next ? saved : next)));
    }
    machine.next_found = now + static_cast<uint32_t>(next);
    return quiet < kMaxFound ? Verdict{Turn::kQuiet, quiet} : Verdict{};
}

// Ticks until something is due, after the cell that is the first to capture again has done so where it could.
KYMO_PAIRS int32_t look_after_cells(Machine& machine, uint64_t key, bool follows, uint32_t now) {
    int32_t first = kMostTicks;
    int32_t second = kMostTicks;
    uint32_t turn = 0;
    for (uint32_t i = 0; i < kMaxCells && i < machine.rule.cells; ++i) {
        const int32_t ticks = ticks_to(due(machine, machine.cells[i]), now);
        const int32_t later = ticks < first ? first : ticks;
        second = later < second ? later : second;
        turn = ticks < first ? i : turn;
        first = ticks < first ? ticks : first;
    }
    turn = KYMO_PAIRS_UNKNOWN(machine, turn);
    if (first <= 0 && !follows && key != 0 && turn < kMaxCells) {
        capture(machine, turn, key, now);
        first = ticks_to(due(machine, machine.cells[turn]), now);
    }
    return second < first ? second : first;
}

// Handles a cell's match, or what may be due.
KYMO_PAIRS_RARE Verdict look_closer(Machine& machine, uint64_t key, uint32_t slot, bool follows) {
    const uint32_t now = now_of(machine.countdown);
    if (follows && slot < kMaxCells) {
        Cell& cell = machine.cells[slot];
        if (is_dead(machine, cell, now)) {
            forget(machine, cell);  // another test may begin with the same source
            follows = false;
        } else if (match(machine, cell, now)) {
            return report(machine, cell, now);
        }
    }
    if (machine.countdown.left > 0) {
        return {};
    }
    Verdict verdict;
    if (machine.found_end != 0 && ticks_to(machine.next_found, now) <= 0) {
        verdict = look_after_sources(machine, now);
    }
    const int32_t cells = look_after_cells(machine, key, follows, now);
    const int32_t finds = machine.found_end != 0 ? ticks_to(machine.next_found, now) : kMostTicks;
    const int32_t next = cells < finds ? cells : finds;
    set_due(machine, next < 0 ? 0 : next);
    return verdict;
}

}  // namespace kymo::pairs
