// The metric that a report is sorted by and that shares refer to: processor time by default.
#pragma once

#include "base/result.h"
#include "spacetime/load/costs.h"
#include "spacetime/profile/profile.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

struct Metric {
    std::string name;                  // "processor time", "user time", "page-faults"
    std::vector<std::size_t> columns;  // of a CostTable, added up
    bool is_time = true;               // nanoseconds; otherwise a count
    bool is_usual = false;             // its columns are shown in every table anyway

    std::int64_t of(std::span<const std::int64_t> costs) const;
};

// Whether a clock has counted the time on processors. Without one (imported traces) what counts as user time is time
// of which the recording says where the thread was, and not whether it ran: views call it just time.
bool knows_processor_time(const spacetime::Profile& profile);

// "" (processor time), "user", "system", "off-cpu", "wall", "samples" or an event's name. Error: kUnknownEvent,
// with a list of those there are.
Result<Metric> find_metric(const spacetime::Profile& profile, std::string_view name);

// value / total, 0 if the total is 0.
double share(std::int64_t value, std::int64_t total);

}  // namespace kymo::view
