// Turns one stream's pieces of time and samples, in order, into occurrences of all kept nodes.
//
// Only changes cost anything: a move from one call path to another closes and opens occurrences between the two
// paths' common ancestor and their leaves. So the cost is that of the change, not of the depth.
//
// A thread's call paths are below the place that created it. Its creator is in that place, the thread is not: nodes
// at or above it get no occurrences of this thread, though the thread's time counts for them as all time below does.
#pragma once

#include "spacetime/evidence/occurrences/level_occurrences.h"
#include "spacetime/evidence/occurrences/occurrence_sums.h"
#include "spacetime/load/thread_states.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct OccurrenceLimits {
    std::size_t occurrence_cap = 4096;  // 0: only sums
    std::size_t sequence_cap = 1U << 16U;
    std::size_t pair_cap = 1U << 19U;     // distinct pairs of addresses, of all streams together
    std::size_t pattern_cap = 1U << 16U;  // likewise patterns
};

class StreamOccurrences {
  public:
    // All must outlive this. `sums` is added to, by one worker at a time. `created_in`: the kept node that its
    // creator was in when it made this thread; kNone: not known.
    StreamOccurrences(const KeptNodes& kept, std::uint32_t thread, std::uint32_t created_in, std::uint64_t begin,
                      std::size_t counters, const OccurrenceLimits& limits, OccurrenceSums& sums);

    // The stream was in profile node `node` for the interval (kNone: not known); `target`: what a wait is for,
    // kStreamEdge: no wait.
    void piece(const StateInterval& interval, bool is_spinning, std::uint32_t node, std::uint32_t target);
    // This part of the last piece was system time of a call in profile node `in`: for the sums, not for occurrences.
    void called(std::int64_t ns, std::uint32_t in);
    // This part of the time until now was not the thread's (late_ticks.h).
    void taken(std::int64_t ns) { now_.sums[kSumTaken] += ns; }
    // User time, and the usual time of its rounds (loop_progress.h).
    void progress(std::int64_t measured, std::int64_t usual) {
        now_.sums[kSumMeasured] += measured;
        now_.sums[kSumUsual] += usual;
    }
    // A sample, after the pieces that lead up to it.
    void sample(std::uint64_t time, std::uint32_t node, std::uint32_t processor,
                std::span<const std::int64_t> deltas);
    // From `time` on the stream is in no node.
    void leave(std::uint64_t time) { go_to(kNone, time); }
    void finish();

  private:
    // A node's last occurrence here, and the pattern that was looked up last: most occurrences have the
    // neighbours of the one before.
    struct LastOccurrence {
        bool is_known = false;
        std::uint32_t order = 0;
        std::uint32_t before = 0;
        std::uint32_t after = 0;
        PatternRecord* pattern = nullptr;
        std::uint64_t generation = 0;  // of the patterns when it was looked up
        Moment end;
    };
    struct Level {
        LevelOccurrences occurrences;
        OccurrenceSequence* sequence = nullptr;
    };
    struct WaitPiece {
        std::uint64_t begin = 0;
        std::int64_t ns = 0;
        std::uint32_t target = 0;
    };

    void go_to(std::uint32_t leaf, std::uint64_t time);
    void switch_level(std::uint32_t level, std::uint32_t node);
    void settle(std::uint32_t level, const LevelOccurrence& occurrence);
    PatternRecord& pattern_of(LastOccurrence& last, const LevelOccurrence& occurrence);
    void add_gap(Level& level, NodeSums& node, const LastOccurrence& last, const LevelOccurrence& occurrence);
    std::vector<OccurrenceWait> waits_between(std::uint64_t begin, std::uint64_t end) const;
    Level& level_at(std::uint32_t level);

    const KeptNodes& kept_;
    std::uint32_t thread_;
    OccurrenceLimits limits_;
    OccurrenceSums& sums_;
    Moment now_;
    SumRow at_change_;  // sums when the stream came to leaf_
    std::uint32_t leaf_ = kNone;
    bool has_processor_ = false;
    bool piece_has_node_ = false;  // the last piece was at a known place
    bool in_wait_ = false;         // the last piece was a wait, and the stream has not moved since
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<LastOccurrence> last_;  // by node
    std::vector<WorkSums> work_;        // likewise: NodeSums::own_work
    std::vector<WaitPiece> waits_;
    std::vector<bool> is_visited_;
    std::vector<bool> is_creators_;  // by kept node: at or above the place that created this thread
};

// Sums of the waits by target, most time first.
std::vector<OccurrenceWait> sorted_waits(const std::map<std::uint32_t, std::int64_t>& by_target);

}  // namespace kymo::spacetime
