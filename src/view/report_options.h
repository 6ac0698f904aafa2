// What the report for a terminal is to show, and how.
#pragma once

#include "view/metric.h"
#include "view/text.h"

#include <cstddef>
#include <optional>

namespace kymo::view {

// A recording of a build or a script: of hundreds of processes no two lines matter most. Beyond so many, the report
// groups them by the program that they run, tells the first findings in full, and leaves out tables that would list
// them one by one.
inline constexpr std::size_t kManyProcesses = 20;

struct ReportOptions {
    Style style = {};
    Metric metric = {};
    std::size_t top = 10;                // rows of each table
    std::optional<double> percent = {};  // least share of a call path shown; none: 1 %, raised until it fits
    bool is_brief = false;               // for many processes, as above: at most about 100 lines in all
};

}  // namespace kymo::view
