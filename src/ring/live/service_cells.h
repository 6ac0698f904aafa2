// A member's service channels as cells: a segment with a row for each, so that whoever reads this host's cells sees
// them (service_metrics.h). One thread. Costs a copy of a few cells a channel and fill.
#pragma once

#include "base/result.h"
#include "cells/segment.h"
#include "ring/transport/channels.h"

#include <filesystem>
#include <map>
#include <span>

namespace kymo::ring {

// Requests that went out to a slot and came home.
struct Trips {
    Slot to = 0;
    std::uint64_t number = 0;
    std::uint64_t ns = 0;
};

class ServiceCells {
  public:
    // Makes `path`, with room for so many channels. `program`: what the member is. kNoSpace, kPermission.
    Result<void> open(const std::filesystem::path& path, std::string_view program, std::uint32_t channels,
                      std::uint64_t job);
    [[nodiscard]] bool is_open() const { return segment_.is_open(); }
    // Once it is open. Those that were never used have none; those for which there is no room are counted by the
    // segment.
    void fill(std::span<const ChannelState> states, std::span<const Trips> trips, Time now);

  private:
    cells::Row* row_of(Slot peer, bool sends, Time now);

    cells::Segment segment_;
    std::uint64_t job_ = 0;
    std::map<std::pair<Slot, bool>, cells::Row*> rows_;  // null: no room
};

}  // namespace kymo::ring
