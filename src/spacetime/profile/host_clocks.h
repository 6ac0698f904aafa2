// The offset of hosts' clocks to that of the first host: every host has a monotonic clock of its own, and pairs of
// readings (monotonic, wall clock) give the offset, as well as the hosts' wall clocks agree.
//
// Files of one host have one clock: the first pair of a host counts for all of them. A host without a known pair
// is not shifted.
#pragma once

#include "recording/tables/tasks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kymo::spacetime {

class HostClocks {
  public:
    void take(const std::string& host, const recording::ClockPair& pair) {
        const std::uint64_t monotonic = pair.monotonic + pair.error / 2;
        const auto offset = static_cast<std::int64_t>(pair.realtime - monotonic);
        first_ = first_.value_or(offset);
        by_host_.try_emplace(host, offset - *first_);
    }
    // The number to add to that host's times.
    [[nodiscard]] std::int64_t shift(const std::string& host) const {
        const auto known = by_host_.find(host);
        return known == by_host_.end() ? 0 : known->second;
    }

  private:
    std::optional<std::int64_t> first_;
    std::map<std::string, std::int64_t> by_host_;
};

}  // namespace kymo::spacetime
