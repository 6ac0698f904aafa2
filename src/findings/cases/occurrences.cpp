// Slow visits of a node against its fast ones.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/split.h"

#include <algorithm>

namespace kymo::findings {

void add_occurrence_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases) {
    for (std::uint32_t node = 0; node < evidence.nodes.size(); ++node) {
        const spacetime::SpaceNode& space = evidence.nodes[node];
        if (space.rows.size() < 4) {
            continue;
        }
        // Where the usual visit is of few samples, only what takes many times as long is told from it.
        const double resolution = 1 / static_cast<double>(std::max<std::uint64_t>(1, space.median_samples));
        Split split = split_slow(durations(space.rows), resolution);
        if (split.slow == 0 || split.slow == space.rows.size()) {
            continue;
        }
        Case subject;
        subject.evidence = &evidence;
        subject.contrast = Contrast::kOccurrences;
        subject.node = node;
        if (options.shuffle != nullptr) {
            split.is_slow = shifted_labels(space.rows.thread, split.is_slow, options.shuffle);
        }
        fill_sides(split.is_slow, &subject);
        const std::vector<VisitRef> visits = visits_of(space.rows);
        test_features(visits, split.is_slow, feature_columns(evidence, visits, false), Null::kShifts,
                      Random(0x5105 + node), options.permutations, &subject);
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
