// What visits are compared by: one column a feature, one value a visit.
//
// Counters and migrations are taken by wall time (a visit that lasts longer has more of everything), terms of time as
// shares of the visit, progress by user time. User time itself is no feature: longer visits have more of it by
// definition, and the exact account says how much.
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

struct VisitRef {
    const spacetime::VisitTable* table = nullptr;
    std::size_t row = 0;
};

// One feature, visit by visit, as every labelling of the visits needs it.
struct FeatureColumn {
    std::string name;
    std::vector<double> shown;           // as told: counts of counters; otherwise as tested. NaN: not known
    std::vector<std::int32_t> balances;  // as tested (robust.h)
};

// Visits by thread, then in time, and the features of which something is known and which are not the same everywhere.
// Made once; any number of labellings are then held against it, from any thread.
struct ComparedVisits {
    std::vector<VisitRef> visits;
    std::vector<std::uint32_t> stream;  // thread, by visit
    std::vector<FeatureColumn> columns;
    std::vector<std::vector<double>> ranks;  // standard_ranks() as tested, by column
    std::size_t plain_columns = 0;           // without the duration, which comes last
};
ComparedVisits compare_by_features(const spacetime::Evidence& evidence, std::vector<VisitRef> visits);

enum class Null { kShifts, kPairs };

struct FeatureTestOptions {
    Null null = Null::kShifts;
    bool with_duration = false;  // as a feature
    std::size_t permutations = kPermutations;
};
// Fills in `features`, `tested` and `p` of a case. `label`: 1 for the bad ones.
void test_features(const ComparedVisits& compared, std::span<const char> label, const FeatureTestOptions& options,
                   Random random, Case* subject);

inline constexpr std::size_t kLeastTested = 3;    // bad ones
inline constexpr double kLeastResolution = 0.05;  // fewer visits than give such a p are not tested

}  // namespace kymo::findings
