// Tables of code spaces for a terminal in the making: their sources, the text so far, and what they share.
#pragma once

#include "spacetime/evidence/evidence.h"
#include "view/report_options.h"
#include "view/table.h"
#include "view/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

// Lives no longer than what it refers to.
struct SpaceSheet {
    const spacetime::Evidence& evidence;
    const ReportOptions& options;
    const Style& style;
    std::string_view filter;  // only places whose function, file or module holds this text; empty: all
    std::string out = {};

    std::string time(std::uint64_t ns) const { return duration(style, ns); }
    std::string moment(std::uint64_t at) const { return time(at - std::min(at, evidence.run.begin)); }
    const spacetime::SpaceNode& space_at(spacetime::NodeIndex index) const { return index.in(evidence.nodes); }

    std::string thread_name(std::uint32_t thread) const;

    // An empty line, then the title.
    void heading(std::string_view title, std::string_view rest);
    // "… 12 more", if not all rows are shown.
    void more(std::size_t shown, std::size_t all);
    // Rows of `order` up to --top. `note`: printed below a row.
    template <typename Order, typename Row, typename Note>
    void table(std::vector<std::string> headings, const Order& order, Row&& row, Note&& note) {
        Table table;
        table.headings = std::move(headings);
        const std::size_t shown = std::min(order.size(), options.top);
        for (std::size_t i = 0; i < shown; ++i) {
            table.rows.push_back(row(order[i]));
            table.notes.push_back(note(order[i]));
        }
        out += render(style, table);
        more(shown, order.size());
    }
    template <typename Order, typename Row>
    void table(std::vector<std::string> headings, const Order& order, Row&& row) {
        table(std::move(headings), order, row, [](const auto&) { return std::vector<std::string>(); });
    }

    // If occurrences have hardly a sample, many are not seen at all, and what lies between two of them is
    // chance.
    static bool is_seen(const spacetime::SpaceNode& node) { return !node.folded || node.median_samples >= 2; }

    // The lines first, since they distinguish places in one function. Of a library's code first the program's own
    // function around it.
    void add_code(std::vector<Cell>& cells, const spacetime::HeavySpace& space) const;
    // Gaps worth a row, longest first: indices of Evidence::intervals.
    std::vector<std::size_t> gaps_by_length() const;
    // Patterns with both neighbours, most time first: indices of Evidence::patterns. At least `least` occurrences,
    // and at least `least_folded` of those too short to have rows of their own.
    std::vector<std::size_t> patterns_by_time(std::uint64_t least, std::uint64_t least_folded) const;
    // "a → s → b" in three cells.
    void add_pattern(std::vector<Cell>& cells, const std::string& before, const std::string& space,
                     const std::string& after) const;
};

// Ends all but the last with a comma, the last with `end`.
void punctuate(std::vector<std::string>& phrases, std::string_view end = {});
// Puts a semicolon between the two.
std::vector<std::string> join_phrases(std::vector<std::string> first, std::vector<std::string> then);
std::string rate_words(std::optional<double> rate);

}  // namespace kymo::view
