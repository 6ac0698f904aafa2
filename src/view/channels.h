// Who sent how much to whom, and who waited for whom: the channels of a run, for people and as data (docs/json.md).
#pragma once

#include "spacetime/metrics/channels.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>

namespace kymo::view {

// Of few ranks three matrices, ranks × ranks: messages, bytes, and the time inside calls. Of many the `top` pairs of
// ranks with most time. Of ranks without any channel a line that says so; of no ranks nothing.
std::string terminal_channels(const Style& style, const spacetime::RunMetrics& run, std::size_t top);

nlohmann::ordered_json json_channels(const spacetime::RunMetrics& run);

}  // namespace kymo::view
