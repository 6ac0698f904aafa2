// Slow occurrences of a node against its fast ones.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/robust.h"
#include "findings/statistics/split.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::findings {
namespace {

constexpr std::size_t kMostSlowFolded = 10;  // one in so many

// Most slow occurrences are of threads that are mostly slow: then threads differ, not occurrences
// (Contrast::kThreads).
bool is_by_thread(const spacetime::OccurrenceTable& occurrences, const std::vector<char>& is_slow, std::size_t slow) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> threads;  // occurrences, slow ones
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        auto& [all, own] = threads[occurrences.thread[row]];
        ++all;
        own += is_slow[row] != 0 ? 1 : 0;
    }
    std::size_t theirs = 0;
    // A single occurrence says nothing of its thread, but where others have several: then it may be theirs in one.
    const bool has_several = occurrences.size() >= 2 * threads.size();
    for (const auto& [thread, counts] : threads) {
        const bool is_slow = counts.second * 5 >= counts.first * 4;
        theirs += is_slow && (counts.first >= 2 || has_several) ? counts.second : 0;
    }
    return theirs * 5 >= slow * 4;
}

}  // namespace

Split occurrence_split(const spacetime::Evidence& evidence, std::uint32_t node) {
    const spacetime::SpaceNode& space = evidence.nodes[node];
    // Short occurrences of loops and of inlined functions are pieces of one call, cut by sampling.
    if (space.rows.size() < 4 || ((space.folded || median(durations(space.rows)) < 2 * sampling_period(evidence)) &&
                                  space.kind != spacetime::SpaceKind::kFunction)) {
        return {};
    }
    // Where the usual occurrence is of few samples, only what takes many times as long is told from it.
    const double resolution = 1 / static_cast<double>(std::max<std::uint64_t>(1, space.median_samples));
    Split split = split_slow(durations(space.rows), resolution);
    // Of short occurrences several look like one where what lies between them is not seen: only rare slow ones mean a
    // thing.
    const bool is_merging = space.folded && split.slow * kMostSlowFolded > space.rows.size();
    const bool is_no_contrast = is_merging || split.slow == 0 || split.slow == space.rows.size() ||
                                is_by_thread(space.rows, split.is_slow, split.slow);
    if (is_no_contrast) {
        return {};
    }
    return split;
}

void add_occurrence_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const OccurrenceGround& ground : grounds.occurrences) {
        if (ground.split.slow == 0) {
            continue;
        }
        Case subject;
        subject.evidence = &grounds.evidence;
        subject.contrast = Contrast::kOccurrences;
        subject.node = ground.node;
        const std::vector<char> label =
            options.shuffle != nullptr ? shifted_labels(ground.compared.stream, ground.split.is_slow, options.shuffle)
                                       : ground.split.is_slow;
        fill_sides(label, &subject);
        test_features(ground.compared, label, {.null = Null::kShifts, .permutations = options.permutations},
                      Random(0x5105 + ground.node), &subject);
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
