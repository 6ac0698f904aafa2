// One host's single objects, as lines and as JSON: pure functions of what was received (host_detail.h).
#pragma once

#include "live/host_detail.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::live {

// A process of a host, or a thread of a process: its number, and when it began.
using RowId = std::pair<std::uint64_t, std::uint64_t>;

struct DetailShown {
    TaskSort sort = TaskSort::kOnCpu;
    std::size_t rows = 20;  // of each table, at most
    bool processors = true;
    bool channels = true;
    std::optional<RowId> chosen;
};

// Each table's heading has the number of rows shown, and of all rows.
std::vector<std::string> detail_lines(const view::Style& style, const DetailView& view, const DetailShown& shown);

// Those to choose from, as detail_lines() orders them: a host's processes, a process's threads.
std::vector<RowId> rows_to_choose(const DetailView& view, TaskSort sort);

// Why there are no rows, or no new ones; empty: there are.
std::string why_no_rows(const DetailView& view);

// One object; its keys are in docs/top.md.
nlohmann::ordered_json detail_json(const DetailView& view);

}  // namespace kymo::live
