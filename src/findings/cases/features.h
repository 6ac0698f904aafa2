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

struct FeatureColumn {
    std::string name;
    std::vector<double> values;  // as tested
    std::vector<double> shown;   // as told: counts of counters; otherwise the same as `values`
};

// Features of which something is known and which are not the same everywhere.
std::vector<FeatureColumn> feature_columns(const spacetime::Evidence& evidence, std::span<const VisitRef> visits,
                                           bool with_duration);

enum class Null { kShifts, kPairs };

// Fills in `features`, `tested` and `p` of a case. `label`: 1 for the bad ones; visits by thread, then in time.
void test_features(std::span<const VisitRef> visits, std::span<const char> label,
                   const std::vector<FeatureColumn>& columns, Null null, Random random, std::size_t permutations,
                   Case* subject);

inline constexpr std::size_t kLeastTested = 3;    // bad ones
inline constexpr double kLeastResolution = 0.05;  // fewer visits than give such a p are not tested

}  // namespace kymo::findings
