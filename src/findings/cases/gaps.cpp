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

void add_gap_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases) {
    const double run_period = sampling_period(evidence);
    for (std::uint32_t node = 0; node < evidence.nodes.size(); ++node) {
        const spacetime::SpaceNode& space = evidence.nodes[node];
        const std::vector<GapRow> gaps = gaps_of(space.rows);
        if (space.folded || gaps.size() < 4 || median(durations(space.rows)) < 2 * run_period) {
            continue;
        }
        std::vector<double> lengths;
        std::vector<std::uint32_t> stream;
        for (const GapRow& gap : gaps) {
            lengths.push_back(static_cast<double>(gap.end - gap.begin));
            stream.push_back(gap.thread);
        }
        // A gap begins and ends with a sample of somebody else: it is known to about one period, which is
        // the time that a sample of the node stands for.
        const double period =
            space.samples > 0 ? static_cast<double>(processor(space.total)) / static_cast<double>(space.samples) : 0;
        const double usual = median(lengths);
        Split split = split_slow(lengths, usual > 0 ? period / usual : 1);
        if (split.slow == 0 || split.slow * 2 > gaps.size()) {
            continue;
        }
        if (options.shuffle != nullptr) {
            split.is_slow = shifted_labels(stream, split.is_slow, options.shuffle);
        }
        Case subject;
        subject.evidence = &evidence;
        subject.contrast = Contrast::kGaps;
        subject.node = node;
        std::vector<double> sides[2];
        for (std::size_t i = 0; i < gaps.size(); ++i) {
            (split.is_slow[i] != 0 ? subject.long_gaps : subject.short_gaps).push_back(gaps[i]);
            sides[split.is_slow[i] != 0 ? 1 : 0].push_back(lengths[i]);
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
