// A kept node: a piece of code on a call path that holds more than a share of the run, with its occurrences.
//
// The hierarchy for readers, outermost first: call path → function (inlined ones as functions) → loop nest →
// loop, and from a loop on to its callees. A node's parent is the next larger kept node. The *level* of a
// node is its parent's split into children: occurrences of children of one parent are neighbours of each other.
//
// Beside these, nodes of two other kinds: iterations of a loop that the analysis found (or of the time between marks'
// begins), and regions that the program itself marked.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_table.h"
#include "spacetime/indices.h"
#include "spacetime/spaces/code_space.h"
#include "spacetime/spaces/occurrences.h"
#include "spacetime/spaces/period.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {

struct Place {
    std::string function;  // as in the source; empty: not known
    std::string file;
    std::uint32_t line_begin = 0;   // 0: not known
    std::uint32_t line_end = 0;     // last line
    std::string module;             // file name of the load image
    std::string build_id;           // raw bytes; with `ranges` the identity across runs
    std::vector<ByteRange> ranges;  // image offsets
    bool operator==(const Place&) const = default;
};

enum class SpaceKind : std::uint8_t {
    kFunction,  // on its call path
    kInlined,   // a function inlined into the one around it
    kLoopNest,  // outermost loop with loops inside
    kLoop,
    kIteration,  // one round of a loop found in time; `parent` is the loop or function whose rounds they are
    kMark,       // between begin and end of a mark of the program's own
};

enum class Role : std::uint8_t {
    kNone,
    kMainLoop,  // the level at which the run has most structure
    kPhase,     // of a main loop, or of a loop in a phase
};

// A line's share of a node: what was spent below it while control was at that line of the node's own function.
struct LineShare {
    std::string file;
    std::uint32_t line = 0;
    std::int64_t processor_ns = 0;
    std::uint64_t samples = 0;
    std::vector<std::int64_t> deltas;  // by counter
};

using NodeIndex = Index<struct SpaceNode>;   // of Evidence::nodes
using CounterIndex = Index<struct Counter>;  // of RunFacts::counters, and of every vector "by counter"

struct SpaceNode {
    SpaceKind kind = SpaceKind::kFunction;
    Role role = Role::kNone;
    NodeIndex parent;  // kNone: at the top
    std::uint32_t depth = 0;
    Place place;
    std::vector<std::string> path;  // functions from the outermost to this one
    std::string mark;               // of kMark
    std::uint64_t identity = 0;     // the same in other recordings of the program (identity.h)

    // Exact, over all streams and all occurrences. Nodes nest: totals include those of children.
    TimeTerms total;
    std::vector<std::int64_t> deltas;  // by counter
    std::uint64_t samples = 0;
    // Share of instructions × occurrences, shared among call paths by their samples at each address; below 0:
    // unknown.
    double weight = -1;
    std::uint64_t occurrences = 0;
    DurationSums durations;              // of the occurrences
    std::vector<OccurrenceWait> waits;   // by target, most time first
    std::vector<std::uint32_t> threads;  // of the threads in it, ascending
    std::vector<ThreadWork> work;      // by thread, ascending, also outside occurrences; empty: of iterations, marks
    std::uint64_t median_samples = 0;  // of an occurrence
    bool polls = false;                // kLoop: its rounds change nothing; it waits for another thread (polling.h)
    std::optional<std::uint64_t> exact_calls;  // its function's, all of them seen (exact/exact_calls.h)
    bool folded = false;                       // median under 8 samples: single occurrences must not be compared

    // A thread's part of `work`; none if it has none.
    WorkSums work_of(std::uint32_t thread) const {
        const auto found =
            std::lower_bound(work.begin(), work.end(), thread,
                             [](const ThreadWork& part, std::uint32_t number) { return part.thread < number; });
        return found != work.end() && found->thread == thread ? found->ns : WorkSums{};
    }

    OccurrenceTable rows;          // at most EvidenceOptions::occurrence_cap
    std::vector<LineShare> lines;  // most processor time first, at most 32

    // The structure found in time at this level: of the sequence of children's occurrences.
    double structure = 0;      // coverage × (1 − coefficient of variation of the gaps): 0 none … 1
    std::uint64_t rounds = 0;  // repetitions of the rule
    NodeIndex iteration;       // the kIteration node made of them; kNone: none
};

}  // namespace kymo::spacetime
