// The result of a comparison: for a terminal, for pull requests and chats, and as data (docs/diff.md).
#pragma once

#include "compare/compare.h"
#include "view/comparison/run_timeline.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kymo::view {

struct ComparisonOptions {
    std::size_t top = 5;  // rows of each table
    bool all = false;     // also what is not significant
    std::string base;     // the sides' names: "before.kymo", "5 runs"
    std::string other;
};

// The run of a side that a page shows over time.
struct PageRun {
    std::string name;
    RunTimeline timeline;
};

std::string comparison_text(const Style& style, const compare::Comparison& comparison,
                            const ComparisonOptions& options);
std::string comparison_markdown(const compare::Comparison& comparison, const ComparisonOptions& options);
nlohmann::ordered_json comparison_json(const compare::Comparison& comparison);

// A page with both sides (docs/diff.md): what one run of each did when, on clocks that are laid side by side, a flame
// graph of differences, and the tables. `shell` is the built page without data, comparison_shell().
std::string comparison_page(const compare::Comparison& comparison, const ComparisonOptions& options,
                            const PageRun& base, const PageRun& other, std::string_view shell);
// Empty if this build was made without Node.js.
std::string_view comparison_shell();

}  // namespace kymo::view
