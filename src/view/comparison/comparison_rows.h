// What the text and the Markdown of a comparison share: the selection of rows, and their words.
#pragma once

#include "view/comparison/comparison.h"

#include <string>
#include <vector>

namespace kymo::view {

// A heading and its changes, in their order; of those to report, or with options.all of everything.
struct ComparisonSection {
    std::string title;
    std::vector<const compare::Change*> changes;  // options.top at most
    std::size_t more = 0;                         // not among them
};

std::vector<ComparisonSection> comparison_sections(const compare::Comparison& comparison,
                                                   const ComparisonOptions& options);
// Wall time, processor time, time off processors, as far as they are known.
std::vector<const compare::Change*> whole_changes(const compare::Comparison& comparison);

// The name for tables. Call paths are cut to their last functions.
std::string change_name(const compare::Change& change);
// "+118 ms", "−1,200"; of a whole side's amount without the sign.
std::string difference_text(const Style& style, const compare::Change& change);
std::string amount_text(const Style& style, const compare::Change& change, double value);
// "+12.3 %"; "new", "gone".
std::string ratio_text(const compare::Change& change);
// "0.016", "< 0.001"; empty without p-values.
std::string p_text(const compare::Comparison& comparison, const compare::Change& change);
// The p-value, or without one the error of sampling.
std::string certainty_text(const Style& style, const compare::Comparison& comparison, const compare::Change& change);
// "sort.cpp:84"; empty if not known.
std::string change_place(const compare::Change& change);
// "mostly line 91 (+110 ms)"; empty if no line has half of it.
std::string line_text(const Style& style, const compare::Change& change);
// What the comparison can and cannot show, in a sentence or two.
std::string comparison_note(const compare::Comparison& comparison);

}  // namespace kymo::view
