// How much memory each process of a run had over time, from the rows of a recording (docs/recording-format.md,
// "Memory over time").
#pragma once

#include "base/result.h"
#include "recording/handlers.h"
#include "recording/tables.h"
#include "recording/tables/memory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kymo::spacetime {

// What there was from `time` on, until the next point. Times are ns on the first host's clock.
struct MemoryPoint {
    std::uint64_t time = 0;
    std::uint64_t resident_bytes = 0;
    std::uint64_t shared_bytes = 0;  // of them: pages of files, and shared memory
    bool operator==(const MemoryPoint&) const = default;
};

// One process from its first reading to its end; another one that gets its number later is another.
struct ProcessMemory {
    std::uint64_t pid = 0;  // as ProfileProcess's
    std::string host;       // of a rank; empty: the run's
    std::optional<std::uint64_t> rank;
    std::vector<MemoryPoint> points = {};     // at least one, in the order of time; none of 0 bytes
    std::optional<std::uint64_t> ended = {};  // at this reading it was gone; none: the run ended before
};

struct MemoryOverTime {
    std::vector<ProcessMemory> processes;  // highest peak first
    // Of all processes together, by each change of one; 0 bytes where there was none. Pages that several processes
    // share are counted in each of them.
    std::vector<MemoryPoint> all;
    std::string why_not;  // nothing is known: the reason, in words; otherwise empty

    [[nodiscard]] bool is_known() const { return !processes.empty(); }
};

// The highest of them, of equals the first. `points`: not empty.
const MemoryPoint& peak_of(const std::vector<MemoryPoint>& points);

// The highest in each of `parts` equal parts of [begin, end); none where it is not known: before the first point, and
// from `ended` on. Cost: linear.
std::vector<std::optional<std::uint64_t>> highest_by_part(const std::vector<MemoryPoint>& points,
                                                          std::optional<std::uint64_t> ended, std::uint64_t begin,
                                                          std::uint64_t end, std::size_t parts);

// At most `most` of them (2 or more): of each stretch the highest and the last, so that the course has its peaks.
std::vector<MemoryPoint> thinned(const std::vector<MemoryPoint>& points, std::size_t most);

// The rows of one file, of one `kymo record`. A reader of rows (recording/handlers.h).
struct MemoryRows {
    void read_from(const recording::File& file, recording::Handlers& handlers);

    std::string host;
    std::optional<std::uint64_t> rank;
    std::optional<recording::ClockPair> clock_pair;
    std::map<std::uint64_t, std::vector<ProcessMemory>> processes;  // by pid, one after the other
    std::string why_not;

    template <typename Visit>
    void members(const Visit& visit) {
        visit(host, rank, clock_pair, processes, why_not, points_);
    }

  private:
    void take(const recording::Memory& row);
    std::size_t points_ = 0;
};

// `files`: the rows of all files of the recording.
MemoryOverTime memory_over_time(std::vector<MemoryRows> files);

}  // namespace kymo::spacetime
