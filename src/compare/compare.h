// Compares two sets of runs: what became slower, what faster, and whether the difference is significant.
//
// With five runs a side or more, each difference has a p-value, adjusted for the number of things compared
// (permutation.h): of equal programs, at most one comparison in twenty reports any difference. With fewer runs no
// such answer is possible, and only sizes are known.
//
// Contract: pure. The same figures give the same comparison.
#pragma once

#include "compare/figures.h"
#include "compare/finding_changes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kymo::compare {

inline constexpr double kSignificant = 0.05;

// The values of a row in the runs of a side.
struct Side {
    double median = 0;
    double least = 0;
    double most = 0;
};

struct LineChange {
    std::int64_t line = 0;  // counted from the function's declaration
    double difference = 0;  // ns
};

struct Change {
    RowKey key;
    std::string shown;  // its name for display: of a function without template arguments and parameters
    Side base;
    Side other;
    double p = 1;      // adjusted; 1 without p-values
    double error = 0;  // sampling error of the difference, one standard deviation; 0: it is exact
    double least = 0;  // smaller differences do not count: a thousandth of the run's time; of events their error
    std::string file;  // in the new runs, else in the old ones
    std::uint32_t line = 0;
    std::vector<LineChange> lines;  // of a function: those that changed most, most first

    double difference() const { return other.median - base.median; }
    // Of the base's median; infinite where that is 0.
    double ratio() const;
};

// A call path with its time in the runs of a side, including its callees: the means, so that callees add up to no
// more than their caller.
struct PathTime {
    std::string name;  // as RowKey's
    double base_ns = 0;
    double other_ns = 0;
    double error_ns = 0;  // sampling error of the difference, one standard deviation
};

struct Comparison {
    std::size_t base_runs = 0;
    std::size_t other_runs = 0;
    bool has_p = false;           // there are enough runs for p-values
    std::vector<Change> changes;  // of everything that has a share, most slowed down first
    std::vector<PathTime> paths;  // that have a thousandth of a run; a caller before its callees
    FindingChanges findings;
    std::vector<std::string> warnings;

    // By its name, or by the shown one if that is unique; null: neither.
    const Change* find(const RowKey& key) const;
    // Whether to report a change: it is significant; or, without p-values, larger than the error of sampling and
    // than a thousandth of its whole.
    bool differs(const Change& change) const {
        return has_p ? change.p <= kSignificant
                     : std::abs(change.difference()) > std::max(change.error, change.least);
    }
};

// Its name for display: "ns::sort<int>(int*) (libx.so)" → "ns::sort<…> (libx.so)".
std::string shown_name(const RowKey& key);

// Precondition: a run on each side.
Comparison compare(std::vector<RunFigures> base, std::vector<RunFigures> other);

// The condition of --fail-on: that something has not grown by more than a share.
struct Limit {
    RowKey key;
    double share = 0;  // 0.05: 5 %
};

// The limits that a comparison exceeds: by a significant difference; or, without p-values, by the rest of a
// difference after twice the error of sampling.
std::vector<Limit> exceeded(const Comparison& comparison, const std::vector<Limit>& limits);

}  // namespace kymo::compare
