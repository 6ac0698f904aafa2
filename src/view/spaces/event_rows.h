// Rates of events in pieces of code against the rest of the program, a row an event: beside each other many events
// would be wider than a terminal.
#pragma once

#include "view/spaces/event_rates.h"
#include "view/spaces/space_sheet.h"

#include <optional>
#include <string>
#include <vector>

namespace kymo::view {

class EventRows {
  public:
    // Both must outlive this.
    EventRows(const SpaceSheet& sheet, const EventRates& rates, std::string_view of);

    // `code`: its name, shown in its first row. `terms` and `deltas`: of the code.
    void add(std::vector<Cell> code, const spacetime::TimeTerms& terms, const std::vector<std::int64_t>& deltas);
    std::string text() const { return render(sheet_.style, table_); }

  private:
    void add_row(const std::string& event, std::optional<double> here, std::optional<double> elsewhere,
                 std::vector<Cell>* code);

    const SpaceSheet& sheet_;
    const EventRates& rates_;
    std::size_t widest_ = 0;  // event's name
    Table table_;
};

}  // namespace kymo::view
