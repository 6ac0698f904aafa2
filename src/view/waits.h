// Wait objects, and which thread blocked which: for a terminal and as data (docs/json.md, docs/waits.md).
#pragma once

#include "spacetime/profile/wait_table.h"
#include "view/text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Two tables, empty without waits. `top`: rows of each. `is_short`: the first one alone.
std::string terminal_waits(const Style& style, const spacetime::Waits& waits, const spacetime::WaitTable& table,
                           std::size_t top, bool is_short = false);

// The report's `waits`, `blocking` and `brief_waits`.
nlohmann::ordered_json json_waits(const spacetime::Waits& waits, const spacetime::WaitTable& table);
nlohmann::ordered_json json_blocking(const spacetime::Waits& waits, const spacetime::WaitTable& table);
nlohmann::ordered_json json_brief_waits(const spacetime::Waits& waits);

}  // namespace kymo::view
