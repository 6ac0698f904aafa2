// A member's own service channels, as text and as JSON.
#pragma once

#include "live/lines.h"
#include "live/ring_view.h"
#include "ring/transport/service_cells.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace kymo::live {

// Channels open for sending: of the agents that answered, and of the manager.
std::uint64_t open_channels(const RingView& view);

// The cost of the ring itself: a line per host, and the manager's own channels that are in use.
void service_lines(Lines& lines, const RingView& view, std::size_t rows);

// Channels and the state of requests on them, an object each; keys in docs/top.md.
nlohmann::ordered_json channels_json(std::span<const ring::ChannelState> states, std::span<const ring::Trips> trips);

}  // namespace kymo::live
