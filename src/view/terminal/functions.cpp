#include "view/summary.h"
#include "view/terminal/sections.h"

#include <algorithm>

namespace kymo::view {

using namespace spacetime;

void functions(Sheet& sheet) {
    const auto order = sheet.ranked(sheet.tree.functions.size(), [&](std::size_t row) {
        return sheet.options.metric.of(sheet.tree.function_self[row]);
    });
    if (order.empty()) {
        return;
    }
    sheet.heading("Functions", sheet.by_metric() + " in the function itself; total: with what it calls");
    const std::int64_t total = sheet.options.metric.of(sheet.tree.total[0]);
    Table table;
    table.headings = {"self", "total"};
    sheet.add_heads(table.headings);
    table.headings.push_back("function");
    const std::size_t shown = std::min(order.size(), sheet.options.top);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t row = order[i];
        std::vector<Cell> cells{sheet.share_cell(sheet.options.metric.of(sheet.tree.function_self[row]), total),
                                {percent(share(sheet.options.metric.of(sheet.tree.function_total[row]), total))}};
        sheet.add_times(cells, sheet.tree.function_self[row]);
        sheet.add_function(cells, sheet.tree.functions[row].function, sheet.tree.functions[row].file,
                           sheet.tree.functions[row].line);
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
}

void lines(Sheet& sheet) {
    const auto order = sheet.ranked(
        sheet.tree.lines.size(), [&](std::size_t row) { return sheet.options.metric.of(sheet.tree.line_self[row]); });
    if (order.empty()) {
        return;
    }
    sheet.heading("Lines", sheet.by_metric());
    const std::int64_t total = sheet.options.metric.of(sheet.tree.total[0]);
    Table table;
    table.headings = {"share"};
    sheet.add_heads(table.headings);
    table.headings.push_back("line");
    const std::size_t shown = std::min(order.size(), sheet.options.top);
    for (std::size_t i = 0; i < shown; ++i) {
        const LineCosts& line = sheet.tree.lines[order[i]];
        std::vector<Cell> cells{sheet.share_cell(sheet.options.metric.of(sheet.tree.line_self[order[i]]), total)};
        sheet.add_times(cells, sheet.tree.line_self[order[i]]);
        cells.push_back({place(sheet.tree, line.file, line.line), Ink::kName});
        cells.push_back({"  " + display_name(sheet.tree, line.function), Ink::kDim});
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
}

}  // namespace kymo::view
