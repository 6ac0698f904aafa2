#include "view/page/memory_tracks.h"

#include "view/memory/memory.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kymo::view {
namespace {

using Json = nlohmann::ordered_json;
using spacetime::MemoryPoint;

Json memory_track(const std::string& name, const std::vector<MemoryPoint>& points, std::optional<std::uint64_t> ended,
                  std::uint64_t begin) {
    const auto since_begin = [begin](std::uint64_t time) { return static_cast<std::int64_t>(time - begin); };
    Json flat = Json::array();
    for (const MemoryPoint& point : spacetime::thinned(points, kMostMemoryPoints)) {
        flat.push_back(since_begin(point.time));
        flat.push_back(point.resident_bytes);
        flat.push_back(point.shared_bytes);
    }
    return {{"name", name}, {"end", ended ? Json(since_begin(*ended)) : Json(nullptr)}, {"points", std::move(flat)}};
}

}  // namespace

Json page_memory(const spacetime::Profile& profile, const spacetime::MemoryOverTime& memory) {
    Json tracks = Json::array();
    const std::size_t all = memory.processes.size();
    if (all > 1) {
        tracks.push_back(
            memory_track("all " + std::to_string(all) + " processes", memory.all, std::nullopt, profile.begin));
    }
    for (std::size_t i = 0; i < std::min(all, kMostMemoryTracks); ++i) {
        const spacetime::ProcessMemory& process = memory.processes[i];
        tracks.push_back(memory_track(memory_name(profile, process), process.points, process.ended, profile.begin));
    }
    return tracks;
}

}  // namespace kymo::view
