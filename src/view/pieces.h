// One pass over a recording's samples: every thread's life as pieces, each on one call path in one state.
//
// The pieces of a thread are its states (spacetime/load/thread_states.h) cut at the samples, each on the call path
// that the profile charges with it (spacetime/profile/sample_pass.h); time after the last sample is on the process's
// node for that, as far as nothing better is known. Pieces partition each thread's life within the range: their sums
// are the profile's.
//
// Those of one thread come in the order of time, those of several mixed. Cost: O(samples + pieces). Memory: a
// sample's pieces a thread.
#pragma once

#include "base/index.h"
#include "base/result.h"
#include "base/time.h"
#include "recording/reader.h"
#include "spacetime/profile/profile.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kymo::view {

struct Piece {
    std::uint32_t thread = 0;  // index of Profile::threads
    std::uint64_t begin = 0;   // ns since the run's begin
    std::uint64_t end = 0;
    spacetime::ThreadState state = spacetime::ThreadState::kOff;
    std::uint32_t node = 0;         // index of Profile::nodes
    std::uint32_t wait = kNone;     // index of ProfileThread::waits; kNone: in none
    std::uint32_t sampled = kNone;  // the node of the sample that ends the piece; kNone: none does
    // Counts of PieceOptions::events since the sample before, at one piece of those between the two; else
    // empty.
    std::span<const std::uint64_t> events;
};

struct PieceOptions {
    TimeRange range;                  // since the run's begin
    std::vector<std::size_t> events;  // indices of Profile::events that are counted
    // Calls come from several threads at once: never two for one thread of the profile.
    bool is_parallel = false;
};

// A sample, after the pieces that it ends; there may be none, if it came at the time of the one before.
struct PieceSample {
    std::uint32_t thread = 0;
    std::uint64_t time = 0;  // as Piece's
    std::uint32_t node = 0;
    bool is_own_work = false;  // it met the monitor at work: no table counts it
};

using OnPiece = std::function<void(const Piece&)>;
using OnSample = std::function<void(const PieceSample&)>;

// `on_sample` may be empty. Error: a file cannot be read.
Result<void> walk_pieces(const recording::Recording& recording, const spacetime::Profile& profile,
                         const PieceOptions& options, const OnPiece& on_piece, const OnSample& on_sample = {});

}  // namespace kymo::view
