// One pass over a recording's samples for the page: every thread's life as pieces (pieces.h), each at one leaf.
//
// The pieces of a thread are its states (spacetime/load/thread_states.h) cut at the samples. A piece belongs to the
// leaf of the sample that ends it; time in a recorded wait belongs to the call path that waits; time after the
// last sample to the process's node for that. Pieces partition each thread's life within the range.
//
// For an excerpt (recording::File::set_excerpt()) cells are extended to all of the time: fill_unknown().
//
// Cost: O(samples + pieces). Memory: that of the cells, and 24 bytes a piece if single pieces are kept.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "recording/reader.h"
#include "spacetime/profile/profile.h"
#include "view/page/cells.h"
#include "view/page/leaves.h"

#include <cstdint>
#include <vector>

namespace kymo::view {

constexpr std::uint32_t kNoPoint = 0;  // index of TimePass::points

// A thread's single pieces: they follow each other without gaps.
struct Pieces {
    std::uint64_t begin = 0;
    std::vector<std::uint64_t> length;  // ns
    std::vector<std::uint32_t> key;     // cells.h
    std::vector<std::uint32_t> point;   // the sampled address if the piece ends with a sample
    std::vector<std::uint32_t> wait;    // 1 + index of ProfileThread::waits; 0: in none
    std::vector<std::vector<std::uint64_t>> events;
};

struct TimePassOptions {
    TimeRange range;
    std::uint64_t width = 1;          // ns of a bin of the finest level
    bool single_pieces = false;       // keep them
    std::vector<std::size_t> events;  // indices of Profile::events that are counted
};

struct TimePass {
    CellLevel finest;
    std::vector<Pieces> pieces;  // by thread; empty unless asked for
    // Distinct sampled places: image and offset. [0]: none. Empty unless single pieces are kept.
    struct Point {
        std::uint32_t image = 0;
        std::uint64_t offset = 0;
    };
    std::vector<Point> points;
};

// Error: a file cannot be read.
Result<TimePass> run_time_pass(const recording::Recording& recording, const spacetime::Profile& profile,
                               const Leaves& leaves, const TimePassOptions& options);

}  // namespace kymo::view
