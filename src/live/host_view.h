// The view of this host, as lines and as JSON: pure functions of the activity and of what is to be shown.
#pragma once

#include "host/live_view.h"
#include "live/host_tables.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kymo::live {

struct HostShown {
    TaskSort sort = TaskSort::kOnCpu;
    bool threads = true;
    bool processors = true;
    bool channels = true;
    bool metrics = true;
    std::size_t rows = 10;  // at most, of each table
};

std::vector<std::string> host_lines(const view::Style& style, const host::LiveView& view, const HostShown& shown);

// One object; its keys are in docs/top.md.
nlohmann::ordered_json host_json(const host::LiveView& view);

}  // namespace kymo::live
