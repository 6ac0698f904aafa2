#include "view/spaces/event_rows.h"

#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

namespace {

constexpr std::size_t kWidestEvent = 24;
constexpr const char* kPerCycle = "instr/cycle";

std::string times_elsewhere(std::optional<double> here, std::optional<double> elsewhere) {
    return here && elsewhere && *elsewhere > 0 ? fmt::format("{:.3g}", *here / *elsewhere) : std::string("-");
}

}  // namespace

EventRows::EventRows(const SpaceSheet& sheet, const EventRates& rates, std::string_view of)
    : sheet_(sheet), rates_(rates) {
    widest_ = rates.has_per_cycle() ? columns(kPerCycle) : columns("event");
    for (const CounterIndex event : rates.events()) {
        widest_ = std::max(widest_, columns(event.in(sheet.evidence.run.counters)));
    }
    widest_ = std::min(widest_, kWidestEvent);
    table_.headings = {"here", "elsewhere", "times", pad_right("event", widest_) + "  " + std::string(of)};
}

void EventRows::add(std::vector<Cell> code, const TimeTerms& terms, const std::vector<std::int64_t>& deltas) {
    if (rates_.has_per_cycle()) {
        add_row(kPerCycle, rates_.per_cycle(deltas), rates_.per_cycle_elsewhere(deltas), &code);
    }
    for (const CounterIndex event : rates_.events()) {
        add_row(event.in(sheet_.evidence.run.counters), rates_.rate(event, terms, deltas),
                rates_.rate_elsewhere(event, terms, deltas), &code);
    }
}

void EventRows::add_row(const std::string& event, std::optional<double> here, std::optional<double> elsewhere,
                        std::vector<Cell>* code) {
    std::vector<Cell> cells = {{rate_words(here)},
                               {rate_words(elsewhere)},
                               {times_elsewhere(here, elsewhere)},
                               {pad_right(cut_end(sheet_.style, event, widest_), widest_) + "  "}};
    cells.insert(cells.end(), code->begin(), code->end());
    code->clear();
    table_.rows.push_back(std::move(cells));
}

}  // namespace kymo::view
