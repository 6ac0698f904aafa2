// A node's long gaps against its other gaps.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/robust.h"
#include "findings/statistics/split.h"

#include <algorithm>

namespace kymo::findings {
namespace {

// Gaps between visits that follow each other in their stream, none left out by the cap.
std::vector<GapRow> gaps_of(const spacetime::VisitTable& visits) {
    std::vector<GapRow> gaps;
    for (std::size_t row = 0; row + 1 < visits.size(); ++row) {
        if (visits.thread[row] == visits.thread[row + 1] && visits.order[row] + 1 == visits.order[row + 1] &&
            visits.begin[row + 1] > visits.end[row]) {
            gaps.push_back(
                {visits.thread[row], visits.end[row], visits.begin[row + 1], visits.after[row], visits.order[row]});
        }
    }
    return gaps;
}

}  // namespace

GapGround gap_ground(const spacetime::Evidence& evidence, std::uint32_t node) {
    const spacetime::SpaceNode& space = evidence.nodes[node];
    GapGround ground{.node = node, .gaps = gaps_of(space.rows), .lengths = {}, .stream = {}, .split = {}};
    if (ground.gaps.size() < 4 || median(durations(space.rows)) < 2 * sampling_period(evidence)) {
        return ground;
    }
    for (const GapRow& gap : ground.gaps) {
        ground.lengths.push_back(static_cast<double>(gap.end - gap.begin));
        ground.stream.push_back(gap.thread);
    }
    // A gap begins and ends with a sample of somebody else: it is known to about one period, which is
    // the time that a sample of the node stands for.
    const double period =
        space.samples > 0 ? static_cast<double>(processor(space.total)) / static_cast<double>(space.samples) : 0;
    // Gaps shorter than that are all the same to the split.
    std::vector<double> known = ground.lengths;
    if (median(known) < period) {
        for (double& length : known) {
            length += period;
        }
    }
    const double usual = median(known);
    ground.split = split_slow(known, usual > 0 ? period / usual : 1);
    if (ground.split.slow * 2 > ground.gaps.size()) {
        ground.split.slow = 0;
    }
    return ground;
}

void add_gap_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const GapGround& ground : grounds.gaps) {
        if (ground.split.slow == 0) {
            continue;
        }
        const std::vector<char> is_slow = options.shuffle != nullptr
                                              ? shifted_labels(ground.stream, ground.split.is_slow, options.shuffle)
                                              : ground.split.is_slow;
        Case subject;
        subject.evidence = &grounds.evidence;
        subject.contrast = Contrast::kGaps;
        subject.node = ground.node;
        std::vector<double> sides[2];
        for (std::size_t i = 0; i < ground.gaps.size(); ++i) {
            (is_slow[i] != 0 ? subject.long_gaps : subject.short_gaps).push_back(ground.gaps[i]);
            sides[is_slow[i] != 0 ? 1 : 0].push_back(ground.lengths[i]);
        }
        subject.bad.count = sides[1].size();
        subject.bad.median_ns = median(sides[1]);
        subject.good.count = sides[0].size();
        subject.good.median_ns = median(sides[0]);
        for (const GapRow& gap : subject.long_gaps) {
            subject.threads.push_back(gap.thread);
        }
        std::sort(subject.threads.begin(), subject.threads.end());
        subject.threads.erase(std::unique(subject.threads.begin(), subject.threads.end()), subject.threads.end());
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
