// Groups of same code spaces in time: turns one stream's pairs of samples into occurrences, gaps and neighbours of
// groups, by the same rules as for kept nodes (stream_occurrences.h).
//
// The time between two samples of the clock is in the group that their pair lies in (Weighing::group_of), except
// waits in between, which are elsewhere. So an occurrence ends at a wait, or if a sample shows other code; single
// samples between longer runs are bridged. If the program goes from space to space faster than it is sampled,
// occurrences are runs by chance: their median is a few samples, and they are folded, like those of nodes.
#pragma once

#include "spacetime/evidence/occurrences/stream_occurrences.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// A flat hierarchy: group i is kept node i, at the top, and profile node i + 1; profile node 0 is elsewhere.
KeptNodes groups_as_nodes(std::size_t groups);

class CodeLives {
  public:
    // `nodes`: groups_as_nodes(). Both must outlive this.
    CodeLives(const KeptNodes& nodes, std::uint32_t thread, std::uint64_t begin, std::size_t counters,
              const OccurrenceLimits& limits, OccurrenceSums& sums)
        : occurrences_(nodes, thread, kNone, begin, counters, limits, sums), deltas_(counters) {}

    // `target`: what a wait is for, kStreamEdge: no wait.
    void piece(const StateInterval& interval, std::uint32_t target);
    // A sample of any event; the clock's end a pair.
    void sample(std::span<const std::int64_t> deltas);
    // The clock's sample, after sample(): since its previous one the stream was in `group`; kNone: elsewhere.
    void end_pair(std::uint64_t time, std::uint32_t group, std::uint32_t processor);
    void finish();

  private:
    struct Piece {
        StateInterval interval;
        std::uint32_t target = kStreamEdge;
    };
    void pass_on(std::uint32_t node);

    StreamOccurrences occurrences_;
    std::vector<Piece> pieces_;  // since the clock's last sample
    std::vector<std::int64_t> deltas_;
};

}  // namespace kymo::spacetime
