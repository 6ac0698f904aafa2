// The report as data. The keys are a contract: docs/json.md.
#pragma once

#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/profile.h"

#include <nlohmann/json.hpp>

namespace kymo::view {

// Keys keep the order of docs/json.md. Times are seconds, written with nanosecond digits. Text that is not UTF-8
// (paths may be anything) has its odd bytes replaced when it is dumped with error_handler_t::replace.
nlohmann::ordered_json json_report(const spacetime::Profile& profile, const spacetime::CallTree& tree);

}  // namespace kymo::view
