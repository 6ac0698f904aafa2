// What a comparison says: for a terminal, for pull requests and chats, and as data (docs/diff.md).
#pragma once

#include "compare/compare.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

struct ComparisonOptions {
    std::size_t top = 5;  // rows of each table
    bool all = false;     // also what is not significant
    std::string base;     // what the sides are called: "before.kymo", "5 runs"
    std::string other;
};

std::string comparison_text(const Style& style, const compare::Comparison& comparison,
                            const ComparisonOptions& options);
std::string comparison_markdown(const compare::Comparison& comparison, const ComparisonOptions& options);
nlohmann::ordered_json comparison_json(const compare::Comparison& comparison);

}  // namespace kymo::view
