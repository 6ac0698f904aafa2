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

constexpr std::size_t kMostSlowFolded = 10;  // one in this many

}  // namespace

Split occurrence_split(const spacetime::Evidence& evidence, const spacetime::SpaceNode& space) {
    // Short occurrences of loops and of inlined functions are pieces of one call, cut by sampling.
    if (space.rows.size() < 4 || ((space.folded || median(durations(space.rows)) < 2 * sampling_period(evidence)) &&
                                  space.kind != spacetime::SpaceKind::kFunction)) {
        return {};
    }
    // If the usual occurrence has few samples, only one that takes many times as long can be distinguished from
    // it.
    const double resolution = 1 / static_cast<double>(std::max<std::uint64_t>(1, space.median_samples));
    Split split = split_slow(durations(space.rows), resolution);
    // Several short occurrences look like one if the code between them is not seen: only rare slow ones are
    // significant.
    const bool is_merging = space.folded && split.slow * kMostSlowFolded > space.rows.size();
    const bool is_no_contrast = is_merging || split.slow == 0 || split.slow == space.rows.size() ||
                                is_by_thread(space.rows, split.is_slow, split.slow);
    if (is_no_contrast) {
        return {};
    }
    return split;
}

void compare_slow(const Split& split, const ComparedOccurrences& compared, const CaseOptions& options, Random random,
                  Case* subject) {
    const std::vector<char> label =
        options.shuffle != nullptr ? shifted_labels(compared.stream, split.is_slow, options.shuffle) : split.is_slow;
    fill_sides(label, subject);
    test_features(compared, label, {.null = Null::kShifts, .permutations = options.permutations}, random, subject);
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
        compare_slow(ground.split, ground.compared, options, Random(0x5105 + raw(ground.node)), &subject);
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
