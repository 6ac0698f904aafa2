// The whole report, in the order in which it is read: for a terminal, and as data (docs/json.md).
#pragma once

#include "analysis/analysis.h"
#include "view/report_options.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// `filter`: of code spaces only those whose function, file or module holds this text; empty: all.
std::string report_text(const analysis::Analysis& analysis, const ReportOptions& options, const std::string& filter);

// The same without findings, verdict and alarms: for callers that show these otherwise.
std::string report_screen(const analysis::Analysis& analysis, const ReportOptions& options);

// Invalid bytes as in json_report().
nlohmann::ordered_json report_json(const analysis::Analysis& analysis);

}  // namespace kymo::view
