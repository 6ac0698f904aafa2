#include "view/terminal/sheet.h"

#include "view/metric.h"
#include "view/summary.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr double kHotShare = 0.2;
constexpr double kWarmShare = 0.05;

}  // namespace

void Sheet::heading(std::string_view title, std::string_view rest) {
    out += "\n" + paint(style, Ink::kHeading, title);
    if (!rest.empty()) {
        out += "  " + paint(style, Ink::kDim, cut_end(style, rest, style.width - columns(title) - 2));
    }
    out += "\n";
}

void Sheet::more(std::size_t shown, std::size_t all) {
    if (all > shown) {
        out += "  " +
               paint(style, Ink::kDim,
                     fmt::format("{} {} more (--top {})", sign().ellipsis,
                                 count(static_cast<std::int64_t>(all - shown)), all)) +
               "\n";
    }
}

Cell Sheet::share_cell(std::int64_t value, std::int64_t total) const {
    const double part = share(value, total);
    return {percent(part), part >= kHotShare ? Ink::kHot : part >= kWarmShare ? Ink::kWarm : Ink::kPlain};
}

void Sheet::add_heads(std::vector<std::string>& headings) const {
    if (!options.metric.is_usual) {
        headings.push_back(options.metric.name);
    }
    const bool knows = knows_processor_time(profile);
    if (is_narrow()) {
        headings.insert(headings.end(), {knows ? "on CPU" : "time", "off-CPU"});
    } else {
        headings.insert(headings.end(), {knows ? "user" : "time", "system", "off-CPU"});
    }
}

void Sheet::add_times(std::vector<Cell>& cells, std::span<const std::int64_t> costs) const {
    if (!options.metric.is_usual) {
        const std::int64_t value = options.metric.of(costs);
        cells.push_back({options.metric.is_time ? time(value) : count(value)});
    }
    if (is_narrow()) {
        cells.push_back({time(processor_time(costs))});
    } else {
        cells.push_back({time(costs[kUser])});
        cells.push_back({time(costs[kSystem])});
    }
    cells.push_back({time(costs[kOffCpu])});
}

void Sheet::add_function(std::vector<Cell>& cells, std::uint32_t function, std::uint32_t file,
                         std::uint32_t line) const {
    cells.push_back({display_name(tree, function), Ink::kName});
    const std::string where = place(tree, file, line);
    const std::string& module = tree.symbols.functions[function].module;
    if (!where.empty()) {
        cells.push_back({"  " + where, Ink::kDim});
    } else if (!module.empty() && tree.symbols.functions[function].name.find(module) == std::string::npos) {
        cells.push_back({"  " + module, Ink::kDim});
    }
}

}  // namespace kymo::view
