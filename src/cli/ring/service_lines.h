// A member's own service channels, as text and as JSON.
#pragma once

#include "cli/ring/ring_view.h"
#include "ring/live/service_cells.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace kymo::cli {

// What the ring itself costs: a line a host, and the manager's own channels that are in use.
std::vector<std::string> service_lines(const view::Style& style, const RingView& view, std::size_t rows);

// Channels and how requests fare on them, an object each; keys in docs/top.md.
nlohmann::ordered_json channels_json(std::span<const ring::ChannelState> states, std::span<const ring::Trips> trips);

}  // namespace kymo::cli
