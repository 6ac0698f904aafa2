// One host's single objects, as lines and as JSON: pure functions of what was told (host_look.h).
#pragma once

#include "cli/ring/host_look.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::cli {

// A process of a host, or a thread of a process: its number, and when it began.
using RowId = std::pair<std::uint64_t, std::uint64_t>;

struct LookShown {
    TopSort sort = TopSort::kOnCpu;
    std::size_t rows = 20;  // of each table, at most
    bool processors = true;
    bool channels = true;
    std::optional<RowId> chosen;
};

// Each table is headed by how many of its rows are shown, and of how many.
std::vector<std::string> look_lines(const view::Style& style, const LookView& view, const LookShown& shown);

// Those to choose from, as look_lines() orders them: a host's processes, a process's threads.
std::vector<RowId> rows_to_choose(const LookView& view, TopSort sort);

// Why there are no rows, or none that are new; empty: there are.
std::string why_no_rows(const LookView& view);

// One object; its keys are in docs/top.md.
nlohmann::ordered_json look_json(const LookView& view);

}  // namespace kymo::cli
