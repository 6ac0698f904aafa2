// Memory over time for the page's tracks: all processes together, and the largest ones.
#pragma once

#include "spacetime/memory/memory_over_time.h"
#include "spacetime/profile/profile.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace kymo::view {

inline constexpr std::size_t kMostMemoryTracks = 6;      // of processes
inline constexpr std::size_t kMostMemoryPoints = 4'000;  // of each track; peaks are kept

// Tracks with `name`, `end` (null: the run's) and `points`: time, resident and shared bytes one after the other.
// Times are ns since the run's begin.
nlohmann::ordered_json page_memory(const spacetime::Profile& profile, const spacetime::MemoryOverTime& memory);

}  // namespace kymo::view
