// The parts of the report behind its findings: one file each in this directory, which ends with its
// "extern const Section kName{" and is found by that. So a new table of the report is a new file.
#pragma once

#include "analysis/analysis.h"
#include "view/report_options.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace kymo::view {

struct SectionInput {
    const analysis::Analysis& analysis;
    const ReportOptions& options;
    const std::string& filter;  // of code spaces; empty: all
    bool is_of_code = true;     // the recording has processes or threads, not the metrics of hosts alone
    MoreTables more = {};       // what the report shows beside its usual parts; of a long one everything

    // A short report of a program shows of this part what is usual, and not all.
    bool is_usual_alone(bool MoreTables::* part) const { return options.is_short && is_of_code && !(more.*part); }
    std::size_t others() const { return options.rows(&ShortLimits::others); }
};

struct Section {
    int place = 0;               // smaller ones come first, in the text and among the keys
    bool is_collection = false;  // shown where collections are shown alone (--spaces, --gaps, --neighbours)
    bool needs_code = false;     // its text: nothing in a recording of hosts alone
    // Lines that begin with an empty one; empty: there is nothing to show. nullptr: it is data alone.
    std::string (*text)(const SectionInput& in) = nullptr;
    // Sets the section's keys (docs/json.md). nullptr: text alone.
    void (*json)(const analysis::Analysis& analysis, nlohmann::ordered_json& report) = nullptr;
};

// All of them, by place.
std::span<const Section* const> sections();

}  // namespace kymo::view
