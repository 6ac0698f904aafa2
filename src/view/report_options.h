// What the report for a terminal shows, and how.
#pragma once

#include "view/metric.h"
#include "view/short_limits.h"
#include "view/text.h"

#include <cstddef>
#include <optional>

namespace kymo::view {

// A recording of a build or a script: of hundreds of processes no two lines matter most. Beyond this many, the short
// report groups them by the program that they run.
inline constexpr std::size_t kManyProcesses = 20;

// What a short report shows beside its usual parts.
struct MoreTables {
    bool findings = false;  // all of them in full, what is good, and the control
    bool lines = false;
    bool threads = false;  // and why they were off the processor
    bool events = false;
    bool spaces = false;  // code over time, heavy code
    bool gaps = false;
    bool neighbours = false;
    bool channels = false;  // between every two ends
    bool memory = false;    // over time

    bool has_collections() const { return spaces || gaps || neighbours; }
    // Whether these are shown alone.
    bool is_collections_alone() const { return has_collections() && !has_others(); }
    bool has_others() const { return findings || lines || threads || events || channels || memory; }
    static MoreTables all() { return {true, true, true, true, true, true, true, true, true}; }
};

struct ReportOptions {
    Style style = {};
    Metric metric = {};
    std::size_t top = 10;                // rows of each table; in a short report only of tables shown alone
    ShortLimits limits = {};             // of a short one
    std::optional<double> percent = {};  // least share of a call path shown; none: 1 %, raised until it fits
    bool is_short = false;               // kShortLines, without more tables
    bool fits_a_look = false;            // a short one with the largest `limits` that keep it to kShortLines
    MoreTables more = {};                // of a short one; a long one has everything

    // The number of rows of one kind of table in this report.
    std::size_t rows(std::size_t ShortLimits::* kind) const { return is_short ? limits.*kind : top; }
};

}  // namespace kymo::view
