// The features by which occurrences are compared: one column per feature, one value per occurrence.
//
// Counters and migrations are per wall time (an occurrence that lasts longer has more of everything), terms of
// time are shares of the occurrence, progress is per user time. User time itself is not a feature: longer
// occurrences have more of it by definition, and the exact account has the amount.
#pragma once

#include "findings/cases/case.h"
#include "findings/statistics/max_t.h"
#include "findings/statistics/random.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kymo::findings {

struct OccurrenceRef {
    const spacetime::OccurrenceTable* table = nullptr;
    std::size_t row = 0;
};

// One feature, occurrence by occurrence, in the form for all labellings of the occurrences.
struct FeatureColumn {
    std::string name;
    std::vector<double> shown;           // for display: counts of counters; otherwise as tested. NaN: not known
    std::vector<std::int32_t> balances;  // as tested (robust.h)
};

// Occurrences by thread, then in time, and the features that are known and not the same
// everywhere. Made once; any number of labellings are then compared on it, from any thread.
struct ComparedOccurrences {
    std::vector<OccurrenceRef> occurrences;
    std::vector<std::uint32_t> stream;  // thread, by occurrence
    std::vector<FeatureColumn> columns;
    std::vector<std::vector<double>> ranks;  // standard_ranks() as tested, by column
    std::size_t plain_columns = 0;           // without the duration, which comes last
};
ComparedOccurrences compare_by_features(const spacetime::Evidence& evidence, std::vector<OccurrenceRef> occurrences);

enum class Null { kShifts, kPairs };

struct FeatureTestOptions {
    Null null = Null::kShifts;
    bool with_duration = false;  // as a feature
    std::size_t permutations = kPermutations;
};
// Fills in `features`, `tested` and `p` of a case. `label`: 1 for the bad ones.
void test_features(const ComparedOccurrences& compared, std::span<const char> label,
                   const FeatureTestOptions& options, Random random, Case* subject);

// The same by the duration alone, under circular shifts: for labels that were found from another feature.
void test_duration(const ComparedOccurrences& compared, std::span<const char> label, std::size_t permutations,
                   Random random, Case* subject);

inline constexpr std::size_t kLeastTested = 3;    // bad ones
inline constexpr double kLeastResolution = 0.05;  // fewer occurrences than give such a p are not tested

}  // namespace kymo::findings
