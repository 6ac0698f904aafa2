// Everything that adds up along a stream, as one row of integers: the sums between two moments are a difference of
// rows.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_table.h"
#include "spacetime/load/thread_states.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// Columns of a row; the counters follow.
enum SumColumn : std::size_t {
    kSumUser,
    kSumSpinning,
    kSumSystem,
    kSumReady,
    kSumWaiting,
    kSumOther,
    kSumSamples,
    kSumMigrations,
    kSumTaken,     // ns, of those above: late_ticks.h
    kSumMeasured,  // user ns between samples whose rounds in between are known: loop_progress.h
    kSumUsual,     // the usual user ns of these rounds
    kFirstCounter,
};

using SumRow = std::vector<std::int64_t>;

inline std::size_t column_of(ThreadState state) {
    switch (state) {
        case ThreadState::kUser:
            return kSumUser;
        case ThreadState::kSpinning:
            return kSumSpinning;
        case ThreadState::kSystem:
            return kSumSystem;
        case ThreadState::kReady:
            return kSumReady;
        case ThreadState::kWaiting:
            return kSumWaiting;
        default:
            return kSumOther;
    }
}

inline TimeTerms terms_of(std::span<const std::int64_t> row) {
    return {.user = row[kSumUser],
            .spinning = row[kSumSpinning],
            .system = row[kSumSystem],
            .run_queue = row[kSumReady],
            .waiting = row[kSumWaiting],
            .other = row[kSumOther]};
}

}  // namespace kymo::spacetime
