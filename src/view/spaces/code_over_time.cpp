#include "view/spaces/code_over_time.h"

#include "view/spaces/event_rates.h"
#include "view/spaces/event_rows.h"
#include "view/spaces/medians.h"
#include "view/spaces/space_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace kymo::view {

using namespace spacetime;

namespace {

std::int64_t metric_of(const SpaceSheet& sheet, const SpaceNode& node) {
    return sheet.options.metric.of(cost_row(node.total, node.samples, node.deltas));
}
// "1.2 (0.03)": here, and in the rest of the program.
std::string here_and_elsewhere(std::optional<double> here, std::optional<double> elsewhere) {
    return fmt::format("{} ({})", rate_words(here), rate_words(elsewhere));
}

std::int64_t processor_time(const SpaceNode& node) {
    return node.total.user + node.total.system;
}

// Two figures of an event, or its name, and a name of the code.
bool fits_beside_each_other(const SpaceSheet& sheet, const EventRates& rates) {
    constexpr std::size_t kFigures = 16;
    constexpr std::size_t kName = 20;
    std::size_t width = rates.has_per_cycle() ? 13 : 0;
    for (const CounterIndex event : rates.events()) {
        width += std::max(columns(event.in(sheet.evidence.run.counters)), kFigures) + 2;
    }
    return width + kName <= sheet.style.width;
}

}  // namespace

void code_over_time(SpaceSheet& sheet) {
    std::vector<NodeIndex> order;
    for (const NodeIndex i : indices(sheet.evidence.nodes)) {
        if (passes(i.in(sheet.evidence.nodes).place, sheet.filter) &&
            metric_of(sheet, i.in(sheet.evidence.nodes)) > 0 && !repeats_parent(sheet.evidence, i)) {
            order.push_back(i);
        }
    }
    if (order.empty()) {
        return;
    }
    const std::int64_t all =
        sheet.options.metric.of(cost_row(sheet.evidence.run.total, 0, sheet.evidence.run.deltas));
    std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
        return metric_of(sheet, a.in(sheet.evidence.nodes)) > metric_of(sheet, b.in(sheet.evidence.nodes));
    });
    sheet.heading("Code spaces over time", "by " + sheet.options.metric.name +
                                               "; occurrences, how long they are, and the longest gap between two");
    sheet.table({"share", "times", "median", "longest", "gap", "space"}, order, [&](NodeIndex i) {
        const SpaceNode& node = i.in(sheet.evidence.nodes);
        const auto interval = std::find_if(sheet.evidence.intervals.begin(), sheet.evidence.intervals.end(),
                                           [&](const SpaceIntervals& at) { return at.node == raw(i); });
        std::vector<Cell> cells = {
            {percent(share(metric_of(sheet, node), all))},
            {count(static_cast<std::int64_t>(node.exact_calls.value_or(node.occurrences)))},
            {node.folded && node.occurrences > 1 ? std::string("short") : sheet.time(median_duration(node))},
            {sheet.time(node.durations.longest)},
            {interval == sheet.evidence.intervals.end() ? std::string(signs(sheet.style).dot)
                                                        : sheet.time(interval->gaps.longest)}};
        cells.push_back({space_name(node), Ink::kName});
        std::string rest = "  " + place_lines(node.place, sheet.style.unicode);
        if (node.role == Role::kMainLoop) {
            rest += fmt::format("  main loop, {} rounds", count(static_cast<std::int64_t>(node.rounds)));
        } else if (node.role == Role::kPhase) {
            rest += "  phase";
        }
        rest += is_of_created_threads(node) ? "  with the threads it creates" : "";
        cells.push_back({rest, Ink::kDim});
        return cells;
    });
}

void events_by_code(SpaceSheet& sheet) {
    const EventRates rates(sheet.evidence);
    std::vector<NodeIndex> order;
    for (const NodeIndex i : indices(sheet.evidence.nodes)) {
        const SpaceNode& node = i.in(sheet.evidence.nodes);
        if (passes(node.place, sheet.filter) && processor_time(node) > 0 && !repeats_parent(sheet.evidence, i)) {
            order.push_back(i);
        }
    }
    if (order.empty() || (rates.events().empty() && !rates.has_per_cycle())) {
        return;
    }
    std::stable_sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
        return processor_time(a.in(sheet.evidence.nodes)) > processor_time(b.in(sheet.evidence.nodes));
    });
    sheet.heading("Events by code", rates.unit() + ", and in the rest of the program");
    if (!fits_beside_each_other(sheet, rates)) {
        EventRows rows(sheet, rates, "space");
        const std::size_t shown = std::min(order.size(), sheet.options.top);
        for (std::size_t i = 0; i < shown; ++i) {
            const SpaceNode& node = sheet.space_at(order[i]);
            rows.add(
                {{space_name(node), Ink::kName}, {"  " + place_lines(node.place, sheet.style.unicode), Ink::kDim}},
                node.total, node.deltas);
        }
        sheet.out += rows.text();
        sheet.more(shown, order.size());
        return;
    }
    std::vector<std::string> headings;
    if (rates.has_per_cycle()) {
        headings.emplace_back("instr/cycle");
    }
    for (const CounterIndex event : rates.events()) {
        headings.push_back(event.in(sheet.evidence.run.counters));
    }
    headings.emplace_back("space");
    sheet.table(std::move(headings), order, [&](NodeIndex i) {
        const SpaceNode& node = i.in(sheet.evidence.nodes);
        std::vector<Cell> cells;
        if (rates.has_per_cycle()) {
            const std::optional<double> per_cycle = rates.per_cycle(node.deltas);
            cells.push_back({per_cycle ? fmt::format("{:.2f}", *per_cycle) : "-"});
        }
        for (const CounterIndex event : rates.events()) {
            cells.push_back({here_and_elsewhere(rates.rate(event, node.total, node.deltas),
                                                rates.rate_elsewhere(event, node.total, node.deltas))});
        }
        cells.push_back({space_name(node), Ink::kName});
        cells.push_back({"  " + place_lines(node.place, sheet.style.unicode), Ink::kDim});
        return cells;
    });
}

}  // namespace kymo::view
