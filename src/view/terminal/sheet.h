// A report for a terminal in the making: its sources, the text so far, and what its sections share.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"
#include "view/report_options.h"
#include "view/table.h"
#include "view/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::view {

// Lives no longer than what it refers to.
struct Sheet {
    const spacetime::Profile& profile;
    const spacetime::CallTree& tree;
    const spacetime::CallTree folded;  // for the call paths
    const ReportOptions& options;
    const Style& style;
    std::string out = {};

    const Signs& sign() const { return signs(style); }
    std::string time(std::int64_t ns) const { return duration(style, ns); }
    std::string by_metric() const { return "by " + options.metric.name; }

    // An empty line, then the title.
    void heading(std::string_view title, std::string_view rest = {});
    // "… 12 more", if not all rows are shown.
    void more(std::size_t shown, std::size_t all);

    // Narrow terminals show user and system time as one, for names to have room.
    bool is_narrow() const { return style.width < 100; }
    std::size_t time_columns() const { return is_narrow() ? 2 : 3; }

    // Cells and headings that the tables share.
    Cell share_cell(std::int64_t value, std::int64_t total) const;
    void add_heads(std::vector<std::string>& headings) const;
    void add_times(std::vector<Cell>& cells, std::span<const std::int64_t> costs) const;
    void add_function(std::vector<Cell>& cells, std::uint32_t function, std::uint32_t file, std::uint32_t line) const;

    // Row numbers by falling value; those without any value are left out.
    template <typename Value>
    std::vector<std::size_t> ranked(std::size_t rows, Value&& value) const {
        std::vector<std::size_t> order(rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::erase_if(order, [&](std::size_t row) { return value(row) <= 0; });
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
        return order;
    }
};

}  // namespace kymo::view
