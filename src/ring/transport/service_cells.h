// Publishes a member's service channels as cells: a segment with one row per channel, which readers of this host's
// cells see (service_metrics.h). One thread. fill() costs a copy of a few cells per channel.
#pragma once

#include "base/result.h"
#include "cells/segment.h"
#include "ring/transport/channels.h"

#include <filesystem>
#include <map>
#include <span>

namespace kymo::ring {

// Requests that were sent to a slot and returned.
struct Trips {
    Slot to = 0;
    std::uint64_t number = 0;
    std::uint64_t ns = 0;
};

class ServiceCells {
  public:
    // Creates `path` with room for that many channels. `program`: the role of the member. kNoSpace, kPermission.
    Result<void> open(const std::filesystem::path& path, std::string_view program, std::uint32_t channels,
                      std::uint64_t job);
    [[nodiscard]] bool is_open() const { return segment_.is_open(); }
    // Call after open(). Unused channels have no row; the segment counts those for which there is no room.
    void fill(std::span<const ChannelState> states, std::span<const Trips> trips, Time now);

  private:
    cells::Row* row_of(Slot peer, bool sends, Time now);

    cells::Segment segment_;
    std::uint64_t job_ = 0;
    std::map<std::pair<Slot, bool>, cells::Row*> rows_;  // null: no room
};

}  // namespace kymo::ring
