#include "view/summary.h"
#include "view/terminal/own_code.h"
#include "view/terminal/sections.h"

#include <algorithm>

namespace kymo::view {

using namespace spacetime;

namespace {

// Below it the program's time is in its libraries: a table of its own code shows nothing.
constexpr double kWorthATable = 0.1;

std::int64_t sum_of(const Sheet& sheet, const CostTable& table) {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        sum += sheet.options.metric.of(table[row]);
    }
    return sum;
}

// Returns whether there was any to show.
bool own_functions(Sheet& sheet) {
    const OwnCode own = own_code(sheet.profile, sheet.tree);
    const std::int64_t total = sheet.options.metric.of(sheet.tree.total[0]);
    if (share(sum_of(sheet, own.self), total) < kWorthATable) {
        return false;
    }
    const auto with_libraries = [&](std::size_t row) {
        return sheet.options.metric.of(own.self[row]) + sheet.options.metric.of(own.libraries[row]);
    };
    const auto order = sheet.ranked(own.functions.size(), with_libraries);
    sheet.heading("Own functions", sheet.by_metric() + ": itself, libraries it calls, all it calls");
    Table table;
    table.headings = {"self", "libraries", "total"};
    sheet.add_heads(table.headings);
    table.headings.push_back("function");
    const std::size_t shown = std::min(order.size(), sheet.options.rows(&ShortLimits::functions));
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t row = order[i];
        const auto cell = [&](std::int64_t value) {
            return value == 0 ? Cell{std::string(sheet.sign().dot)} : sheet.share_cell(value, total);
        };
        std::vector<Cell> cells{cell(sheet.options.metric.of(own.self[row])),
                                cell(sheet.options.metric.of(own.libraries[row])),
                                {percent(share(sheet.options.metric.of(own.total[row]), total))}};
        std::vector<std::int64_t> costs(own.self[row].begin(), own.self[row].end());
        spacetime::add(costs, own.libraries[row]);
        sheet.add_times(cells, costs);
        // Where it was itself; if it only calls others, where it begins.
        const FunctionCosts& function = own.functions[row];
        const program::Function& known = sheet.tree.symbols.functions[function.function];
        const bool has_line = function.line != 0;
        sheet.add_function(cells, function.function, has_line ? function.file : known.file,
                           has_line ? function.line : known.line);
        table.rows.push_back(std::move(cells));
    }
    sheet.out += render(sheet.style, table);
    sheet.more(shown, order.size());
    return true;
}

}  // namespace

void functions(Sheet& sheet) {
    if (own_functions(sheet) && sheet.options.is_short) {
        return;  // those of libraries: --all
    }
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
    const std::size_t shown = std::min(order.size(), sheet.options.rows(&ShortLimits::functions));
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
