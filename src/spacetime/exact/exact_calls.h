// Every occurrence of chosen functions, as a run with `kymo record --for REC.kymo --exact` has them.
//
// A call is an outermost one. Plain values: any thread may read them.
#pragma once

#include "base/durations/duration_buckets.h"
#include "spacetime/evidence/evidence.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kymo::spacetime {

struct SlowOccurrence {
    std::uint32_t pid = 0;
    std::uint64_t tid = 0;
    std::uint64_t begin = 0;     // ns, the recording's clock
    std::uint64_t duration = 0;  // ns
    // What the kernel counted in it; from `early` ns before its begin on, as far as is_counted.
    bool is_counted = false;
    std::uint64_t early = 0;
    std::uint64_t processor = 0;  // ns
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;

    // The part of it that the thread was on a processor; below 0: not counted. What was counted before its begin is
    // taken for time on a processor.
    double processor_share() const;
};

struct ExactFunction {
    std::string name;
    std::string module;
    std::string build_id;
    std::uint64_t offset = 0;  // in it
    std::string refused;       // why its calls are not known; empty: they are

    std::uint64_t calls = 0;
    std::uint64_t running = 0;                             // of them, when the process or thread was last heard of
    std::uint64_t cut = 0;                                 // over at an unknown time
    std::uint64_t untimed = 0;                             // over, and only counted
    std::uint64_t threads = 0;                             // that have called it
    std::uint64_t sum = 0;                                 // ns, of those with a duration
    std::array<std::uint64_t, kDurationBuckets> counts{};  // of these
    std::vector<SlowOccurrence> slowest;                   // of these, longest first

    std::uint64_t timed() const { return calls - running - cut - untimed; }
    std::uint64_t longest() const { return slowest.empty() ? 0 : slowest.front().duration; }
    // Of the calls with a duration, the one that the part `share` of them do not exceed: exact among the slowest,
    // otherwise to a quarter of itself. 0: there are none.
    std::uint64_t quantile(double share) const;
    bool holds(const Place& place) const;
};

struct ExactCalls {
    std::string earlier;                   // absolute path of the recording that the functions are from
    std::vector<ExactFunction> functions;  // most time in them first; then those that are refused
    // Of the function that a kept node is; nullptr: its calls are not known.
    const ExactFunction* of(const SpaceNode& node) const;
};

inline constexpr std::size_t kSlowestKept = 16;

// Sets SpaceNode::exact_calls where it is known for sure: of functions with one kept call path.
void set_exact_calls(const ExactCalls& exact, Evidence* evidence);

}  // namespace kymo::spacetime
