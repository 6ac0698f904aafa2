// A kept node against the rest of the program.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"

#include <algorithm>
#include <map>

namespace kymo::findings {
namespace {

using spacetime::Evidence;
using spacetime::SpaceNode;

double per_second(std::int64_t count, const spacetime::TimeTerms& terms) {
    return processor(terms) > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(processor(terms)) : 0;
}

// The occurrences of a level, by thread, then in time.
std::vector<OccurrenceRef> level_occurrences(const Evidence& evidence, const std::vector<NodeIndex>& siblings) {
    std::vector<OccurrenceRef> occurrences;
    for (const NodeIndex node : siblings) {
        const std::vector<OccurrenceRef> own = occurrences_of(node.in(evidence.nodes).rows);
        occurrences.insert(occurrences.end(), own.begin(), own.end());
    }
    std::sort(occurrences.begin(), occurrences.end(), [](const OccurrenceRef& a, const OccurrenceRef& b) {
        const std::pair left(a.table->thread[a.row], a.table->begin[a.row]);
        const std::pair right(b.table->thread[b.row], b.table->begin[b.row]);
        return left < right;
    });
    return occurrences;
}

Side rest_of(const Evidence& evidence, const SpaceNode& space) {
    Side rest;
    rest.count = 1;
    rest.terms = evidence.run.total;
    for (const TermInfo& info : kTerms) {
        rest.terms.*info.member -= space.total.*info.member;
    }
    rest.deltas = evidence.run.deltas;
    for (std::size_t c = 0; c < rest.deltas.size() && c < space.deltas.size(); ++c) {
        rest.deltas[c] -= space.deltas[c];
    }
    return rest;
}

}  // namespace

std::vector<std::vector<NodeIndex>> levels(const Evidence& evidence) {
    std::map<NodeIndex, std::vector<NodeIndex>> by_parent;
    for (const NodeIndex node : indices(evidence.nodes)) {
        const spacetime::SpaceKind kind = node.in(evidence.nodes).kind;
        if (kind != spacetime::SpaceKind::kIteration && kind != spacetime::SpaceKind::kMark) {
            by_parent[node.in(evidence.nodes).parent].push_back(node);
        }
    }
    std::vector<std::vector<NodeIndex>> result;
    result.reserve(by_parent.size());
    for (auto& [parent, siblings] : by_parent) {
        result.push_back(std::move(siblings));
    }
    return result;
}

SpaceGround space_ground(const Evidence& evidence, std::vector<NodeIndex> siblings) {
    SpaceGround ground;
    ground.siblings = std::move(siblings);
    if (ground.siblings.size() > 1) {
        ground.compared = compare_by_features(evidence, level_occurrences(evidence, ground.siblings));
    }
    return ground;
}

void add_space_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    const Evidence& evidence = grounds.evidence;
    for (const SpaceGround& ground : grounds.spaces) {
        for (const NodeIndex node : ground.siblings) {
            const SpaceNode& space = node.in(evidence.nodes);
            Case subject;
            subject.evidence = &evidence;
            subject.contrast = Contrast::kSpace;
            subject.node = node;
            subject.threads = space.threads;
            subject.bad.count = space.occurrences;
            subject.bad.terms = space.total;
            subject.bad.deltas = space.deltas;
            subject.good = rest_of(evidence, space);
            std::vector<char> label;
            label.reserve(ground.compared.occurrences.size());
            for (const OccurrenceRef& occurrence : ground.compared.occurrences) {
                label.push_back(occurrence.table == &space.rows ? 1 : 0);
            }
            if (options.shuffle != nullptr) {
                label = swapped_labels(ground.compared.stream, label, options.shuffle);
            }
            test_features(ground.compared, label, {.null = Null::kPairs, .permutations = options.permutations},
                          Random(0x5bace + raw(node)), &subject);
            for (Feature& feature : subject.features) {
                if (const CounterIndex c = counter(evidence, feature.name); c != kNone) {
                    feature.bad = per_second(c.in(space.deltas), space.total);
                    feature.good = per_second(c.in(subject.good.deltas), subject.good.terms);
                }
            }
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
