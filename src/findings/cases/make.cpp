#include "findings/cases/make.h"

#include "findings/cases/sides.h"
#include "findings/statistics/false_discovery.h"
#include "parallel/loops.h"

#include <algorithm>

namespace kymo::findings {

Case run_case(const spacetime::Evidence& evidence) {
    Case subject;
    subject.evidence = &evidence;
    subject.bad.count = 1;
    subject.bad.terms = evidence.run.total;
    subject.bad.deltas = evidence.run.deltas;
    return subject;
}

Grounds::Grounds(const spacetime::Evidence& of)
    : evidence(of),
      occurrences(of.nodes.size()),
      gaps(of.nodes.size()),
      same(of.same_spaces.size()),
      returns(return_grounds(of)) {
    std::vector<std::vector<NodeIndex>> siblings = levels(evidence);
    spaces.resize(siblings.size());
    parallel::for_each_index(spaces.size(),
                             [&](std::size_t i) { spaces[i] = space_ground(evidence, std::move(siblings[i])); });
    parallel::for_each_index(occurrences.size(), [&](std::size_t i) {
        const NodeIndex node(i);
        Split split = occurrence_split(evidence, node.in(evidence.nodes));
        std::vector<RichLabel> rich = rich_labels(evidence, node, split);
        occurrences[i] = {.node = node,
                          .split = std::move(split),
                          .rich = std::move(rich),
                          .neighbourhoods = compared_neighbourhoods(evidence, node),
                          .compared = {}};
        if (occurrences[i].split.slow != 0 || !occurrences[i].rich.empty() ||
            !occurrences[i].neighbourhoods.empty()) {
            occurrences[i].compared = compare_by_features(evidence, occurrences_of(node.in(evidence.nodes).rows));
        }
        gaps[i] = gap_ground(evidence, node);
    });
    parallel::for_each_index(same.size(),
                             [&](std::size_t i) { same[i] = same_ground(evidence, static_cast<std::uint32_t>(i)); });
}

std::vector<Case> make_cases(const Grounds& grounds, const CaseOptions& options) {
    std::vector<Case> cases;
    if (options.shuffle == nullptr) {
        cases.push_back(run_case(grounds.evidence));
        add_thread_cases(grounds.evidence, &cases);
    }
    add_space_cases(grounds, options, &cases);
    add_occurrence_cases(grounds, options, &cases);
    add_rich_cases(grounds, options, &cases);
    add_neighbour_cases(grounds, options, &cases);
    add_gap_cases(grounds, options, &cases);
    add_same_cases(grounds, options, &cases);
    add_return_cases(grounds, options, &cases);

    std::vector<double> p_values;
    for (const Case& subject : cases) {
        if (subject.tested) {
            p_values.push_back(subject.p);
        }
    }
    const std::vector<double> q = q_values(p_values);
    std::size_t next = 0;
    for (Case& subject : cases) {
        if (!subject.tested) {
            continue;
        }
        subject.q = q[next++];
        for (Feature& feature : subject.features) {
            // A case with p has q; its other features are less clear by as much.
            feature.q = subject.p > 0 ? std::min(1.0, feature.p * std::max(1.0, subject.q / subject.p)) : feature.p;
        }
    }
    return cases;
}

}  // namespace kymo::findings
