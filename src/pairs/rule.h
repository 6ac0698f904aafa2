// What one paired test is to do: thresholds in ticks, for both forms of the test. Made by pairs/design, or read from
// a hunt's file (rule_text.h); the machine (machine.h) only follows it.
//
// A tick is 1/unit of an event, so that the sequential test's gain need not be a whole number of events. Everything
// is a 32-bit number and every sum stays below 2³⁰ ticks (valid() checks it). Plain data, the same bytes in the
// program, in the handler and in a kernel map.
//
// Epochs. A run may capture any number of addresses, and each capture may end in a false report. Capture number c
// (from 1) uses the thresholds of epoch ⌊log₂ c⌋, which are the stricter the later: with α_i = B·2⁻ⁱ/((i+1)(i+2)) the
// false reports of a run of any length add up to B at most (a union bound). The last epoch holds forever.
#pragma once

#include <stdint.h>

namespace kymo::pairs {

constexpr uint32_t kMaxCells = 16;
constexpr uint32_t kMaxEpochs = 24;
constexpr uint32_t kMostTicks = 1U << 30U;
constexpr uint32_t kMostMatches = 1U << 20U;  // of the pair's T2

enum class Form : uint32_t {
    kSequential = 0,  // one score: match adds, miss takes off (Wald, 1945)
    kPair = 1,        // two counters with terminals T1 and T2, literally
};

struct Epoch {
    uint32_t start = 0;  // sequential: the score a capture begins with; pair: T1. In ticks
    uint32_t bound = 0;  // sequential: the score that reports, in ticks; pair: T2, in matches
};

struct Rule {
    Form form = Form::kSequential;
    uint32_t cells = 1;      // addresses under test at once, 1 to kMaxCells
    uint32_t unit = 1;       // ticks an event
    uint32_t gain = 0;       // ticks a match adds to the score, the event's own tick included; pair: 0
    uint32_t gap = 0;        // a cell rests 0 to gap − 1 events, at random, before it captures again
    uint32_t period = 1;     // examines one event in this many on average, at random distances; 1: every one
    uint32_t hold = 0;       // a find lasts until its source falls this many ticks behind ...
    uint32_t hold_gain = 0;  // ... where a match makes up for this many
    uint32_t epochs = 0;
    Epoch epoch[kMaxEpochs];
};

inline bool valid(const Rule& rule) {
    if (rule.form > Form::kPair || rule.cells == 0 || rule.cells > kMaxCells || rule.unit == 0 || rule.unit > 4096 ||
        rule.epochs == 0 || rule.epochs > kMaxEpochs || rule.gain >= kMostTicks ||
        rule.gap >= kMostTicks / rule.unit || rule.period == 0 || rule.period >= kMostTicks || rule.hold == 0 ||
        rule.hold >= kMostTicks || rule.hold_gain == 0 || rule.hold_gain >= kMostTicks ||
        (rule.form == Form::kSequential && rule.gain <= rule.unit)) {
        return false;
    }
    for (uint32_t i = 0; i < rule.epochs; ++i) {
        const Epoch& epoch = rule.epoch[i];
        const bool reports = rule.form == Form::kPair ? epoch.bound < kMostMatches : epoch.bound > epoch.start;
        if (epoch.start == 0 || epoch.start >= kMostTicks || epoch.bound == 0 || epoch.bound >= (1U << 26U) ||
            !reports) {
            return false;
        }
    }
    return true;
}

}  // namespace kymo::pairs
