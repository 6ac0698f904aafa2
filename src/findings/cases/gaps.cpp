// A node's long gaps against its other gaps.
//
// Only gaps inside one occurrence of the enclosing node: if that itself was left, the gap is its own, and is
// reported there.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/robust.h"
#include "findings/statistics/split.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <limits>

namespace kymo::findings {
namespace {

using spacetime::Evidence;
using spacetime::OccurrenceTable;
using spacetime::SpaceKind;

constexpr std::size_t kMostLong = 3;  // one gap in this many: more are not exceptional

// Both in one occurrence of the parent; or in none, as in threads that the parent has made.
bool is_one_occurrence(const Evidence& evidence, NodeIndex parent, std::uint32_t thread, std::uint64_t one,
                       std::uint64_t other) {
    return parent == kNone || row_at(parent.in(evidence.nodes).rows, thread, one) ==
                                  row_at(parent.in(evidence.nodes).rows, thread, other);
}

// Between occurrences that follow each other in their stream, none left out by the cap.
std::vector<GapRow> gaps_of(const Evidence& evidence, const OccurrenceTable& occurrences, NodeIndex around) {
    std::vector<GapRow> gaps;
    if (around != kNone && around.in(evidence.nodes).rows.size() != around.in(evidence.nodes).occurrences) {
        return gaps;
    }
    for (std::size_t row = 0; row + 1 < occurrences.size(); ++row) {
        const std::uint64_t begin = occurrences.end[row];
        const std::uint64_t end = occurrences.begin[row + 1];
        if (occurrences.thread[row] != occurrences.thread[row + 1] ||
            occurrences.order[row] + 1 != occurrences.order[row + 1] || end <= begin ||
            !is_one_occurrence(evidence, around, occurrences.thread[row], occurrences.begin[row], end)) {
            continue;
        }
        const std::int64_t length = static_cast<std::int64_t>(end - begin);
        const std::int64_t lacking = occurrences.gap_terms[row + 1].run_queue;
        gaps.push_back({.thread = occurrences.thread[row],
                        .begin = begin,
                        .end = end,
                        .ns = length - std::clamp<std::int64_t>(lacking, 0, length),
                        .order = occurrences.order[row],
                        .row_after = row + 1});
    }
    return gaps;
}

// Without the time for which it waited for other threads.
std::int64_t worked_ns(const Evidence& evidence, const OccurrenceTable& occurrences, std::size_t row) {
    std::int64_t ns = own_ns(occurrences.terms[row]);
    for (const spacetime::OccurrenceWait& wait : occurrences.waits_of(row)) {
        ns -= is_synchronisation(evidence.wait_targets[wait.target].kind) ? wait.ns : 0;
    }
    return std::max<std::int64_t>(0, ns);
}

// The contents of each gap. `gaps` are by thread, then in time, like occurrences.
void fill(const Evidence& evidence, NodeIndex node, bool is_work_only, std::vector<GapRow>* gaps) {
    for (const NodeIndex sibling : indices(evidence.nodes)) {
        const spacetime::SpaceNode& other = sibling.in(evidence.nodes);
        if (sibling == node || other.parent != node.in(evidence.nodes).parent ||
            other.kind == SpaceKind::kIteration || other.kind == SpaceKind::kMark) {
            continue;
        }
        std::size_t gap = 0;
        for (std::size_t row = 0; row < other.rows.size() && gap < gaps->size(); ++row) {
            const std::pair at(other.rows.thread[row], other.rows.begin[row]);
            while (gap < gaps->size() && std::pair((*gaps)[gap].thread, (*gaps)[gap].end) <= at) {
                ++gap;
            }
            if (gap == gaps->size() || std::pair((*gaps)[gap].thread, (*gaps)[gap].begin) > at) {
                continue;
            }
            auto& filled = (*gaps)[gap].filled;
            if (filled.empty() || filled.back().node != raw(sibling)) {
                filled.push_back({raw(sibling), 0});
            }
            filled.back().ns += is_work_only ? worked_ns(evidence, other.rows, row) : own_ns(other.rows.terms[row]);
        }
    }
}

// Gaps as occurrences: their contents by time and by counters.
OccurrenceTable as_rows(const OccurrenceTable& occurrences, const std::vector<GapRow>& gaps) {
    OccurrenceTable rows(occurrences.counters);
    rows.first_wait.push_back(0);
    for (const GapRow& gap : gaps) {
        rows.thread.push_back(gap.thread);
        rows.begin.push_back(gap.begin);
        rows.end.push_back(gap.end);
        rows.terms.push_back(occurrences.gap_terms[gap.row_after]);
        const auto deltas = occurrences.gap_deltas_of(gap.row_after);
        rows.deltas.insert(rows.deltas.end(), deltas.begin(), deltas.end());
        rows.first_wait.push_back(0);
        rows.order.push_back(gap.order);
        rows.migrations.push_back(0);
        rows.active_threads.push_back(std::numeric_limits<float>::quiet_NaN());
        rows.progress.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    return rows;
}

void split_gaps(const spacetime::SpaceNode& space, GapGround* ground) {
    ground->lengths.clear();
    for (const GapRow& gap : ground->gaps) {
        ground->lengths.push_back(static_cast<double>(gap.ns));
    }
    // A gap begins and ends with a sample of other code: it is known to about one period, the time that a sample
    // of the node represents.
    const double period =
        space.samples > 0 ? static_cast<double>(processor(space.total)) / static_cast<double>(space.samples) : 0;
    // Shorter gaps are equal for the split.
    std::vector<double> known = ground->lengths;
    if (median(known) < period) {
        for (double& length : known) {
            length += period;
        }
    }
    const double usual = median(known);
    ground->split = split_slow(known, usual > 0 ? period / usual : 1);
    if (ground->split.slow * kMostLong > ground->gaps.size()) {
        ground->split.slow = 0;
    }
}

bool are_too_few_or_short(const Evidence& evidence, const GapGround& ground, const spacetime::SpaceNode& space) {
    return ground.gaps.size() < 4 || median(durations(space.rows)) < 2 * sampling_period(evidence);
}

void compare(const Evidence& evidence, const OccurrenceTable& occurrences, GapGround* ground) {
    if (ground->split.slow != 0) {
        ground->rows = std::make_unique<OccurrenceTable>(as_rows(occurrences, ground->gaps));
        ground->compared = compare_by_features(evidence, occurrences_of(*ground->rows));
    }
}

GapGround split_gaps_of(const Evidence& evidence, NodeIndex node) {
    const spacetime::SpaceNode& space = node.in(evidence.nodes);
    GapGround ground;
    ground.node = node;
    ground.gaps = gaps_of(evidence, space.rows, space.parent);
    if (are_too_few_or_short(evidence, ground, space)) {
        return ground;
    }
    split_gaps(space, &ground);
    if (ground.split.slow != 0) {
        fill(evidence, node, false, &ground.gaps);
        return ground;
    }
    // Threads that meet in the gaps wait there for one that was kept from its processor: on a busy machine that
    // hides what they do themselves.
    fill(evidence, node, true, &ground.gaps);
    for (GapRow& gap : ground.gaps) {
        gap.ns = 0;
        for (const spacetime::GapPart& part : gap.filled) {
            gap.ns += part.ns;
        }
    }
    split_gaps(space, &ground);
    return ground;
}

}  // namespace

GapGround gap_ground(const Evidence& evidence, NodeIndex node) {
    GapGround ground = split_gaps_of(evidence, node);
    compare(evidence, node.in(evidence.nodes).rows, &ground);
    return ground;
}

GapGround gap_ground(const Evidence& evidence, const spacetime::SpaceNode& life, NodeIndex around) {
    GapGround ground;
    ground.node = around;
    ground.gaps = gaps_of(evidence, life.rows, around);
    if (!are_too_few_or_short(evidence, ground, life)) {
        split_gaps(life, &ground);
        compare(evidence, life.rows, &ground);
    }
    return ground;
}

void compare_gaps(const GapGround& ground, const CaseOptions& options, Random random, Case* subject) {
    // The claim about gaps is that the long ones are regular: shifted as a whole they still would be.
    const std::vector<char> is_slow =
        options.shuffle != nullptr ? exchanged_labels(ground.compared.stream, ground.split.is_slow, options.shuffle)
                                   : ground.split.is_slow;
    subject->gap_rows = ground.rows.get();
    fill_sides(is_slow, subject);
    test_features(ground.compared, is_slow, {.null = Null::kShifts, .permutations = options.permutations}, random,
                  subject);
    std::vector<double> sides[2];
    for (std::size_t i = 0; i < ground.gaps.size(); ++i) {
        (is_slow[i] != 0 ? subject->long_gaps : subject->short_gaps).push_back(ground.gaps[i]);
        sides[is_slow[i] != 0 ? 1 : 0].push_back(ground.lengths[i]);
    }
    // The median of the split's measure: of their work alone, if it used that.
    subject->bad.median_ns = median(sides[1]);
    subject->good.median_ns = median(sides[0]);
}

void add_gap_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const GapGround& ground : grounds.gaps) {
        if (ground.split.slow == 0) {
            continue;
        }
        Case subject;
        subject.evidence = &grounds.evidence;
        subject.contrast = Contrast::kGaps;
        subject.node = ground.node;
        compare_gaps(ground, options, Random(0x6a9 + raw(ground.node)), &subject);
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
