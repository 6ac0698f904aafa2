// The short report as Markdown, for pull requests and chats.
#pragma once

#include "analysis/analysis.h"
#include "view/metric.h"

#include <cstddef>
#include <string>

namespace kymo::view {

// `top`: rows of each table.
std::string report_markdown(const analysis::Analysis& analysis, const Metric& metric, std::size_t top);

// A name as code, in a cell of a table: escapes what would end either.
std::string markdown_code(const std::string& name);
// A text outside tables: escapes what Markdown would take for markup, except "`".
std::string markdown_text(const std::string& text);

}  // namespace kymo::view
