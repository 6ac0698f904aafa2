// Finds the rows of this host's processors.
#pragma once

#include "host/reading.h"

#include <cstdint>
#include <map>

namespace kymo::host {

struct FoundProcessor {
    const cells::Snapshot* process = nullptr;
    const cells::RowValues* row = nullptr;
};

// Every launcher fills rows for the same processors: the row filled last counts. Returns those with
// is_asked(process, row), by number.
template <typename IsAsked>
std::map<std::uint64_t, FoundProcessor> newest_processors(const Reading& reading, IsAsked is_asked) {
    std::map<std::uint64_t, FoundProcessor> newest;
    for (const cells::Snapshot& process : reading.processes) {
        const cells::TableValues* const table = process.table(cells::ResourceKind::kProcessor);
        for (std::size_t i = 0; table != nullptr && i < table->rows.size(); ++i) {
            const cells::RowValues& row = table->rows[i];
            if (row.state != cells::RowState::kLive || row.filled == 0 || !is_asked(process, row)) {
                continue;
            }
            FoundProcessor& known = newest[row.number];
            if (known.row == nullptr || row.filled > known.row->filled) {
                known = {&process, &row};
            }
        }
    }
    return newest;
}

}  // namespace kymo::host
