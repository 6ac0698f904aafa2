// The samples of one event, read from a recording: each process's in the order of time.
#pragma once

#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/hunt_results/hunt_rows.h"
#include "spacetime/hunt_results/sources.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {

struct RecordedEvent {
    std::uint64_t time = 0;
    std::uint32_t path = 0;  // index of RecordedEvents::paths
};

struct RecordedEvents {
    FileHunt file;  // images and call paths; no results
    std::string executable;
    std::uint64_t monitor = 0;                                 // its ImageId; 0: not known
    std::unordered_map<std::uint32_t, std::uint64_t> threads;  // stream → tid
    std::vector<PathPlace> paths;
    std::vector<RecordedEvent> events;
};

struct RecordedRun {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    recording::HuntPrecision precision = recording::HuntPrecision::kSkid;
    std::vector<RecordedEvents> processes;  // those that have samples of the event
};

// Errors: kUsage, no process has a sample of the event (says what there is); the system cannot read a file.
// Cost: two scans.
Result<RecordedRun> read_events(std::span<const recording::File> files, const std::string& event);

}  // namespace kymo::spacetime
