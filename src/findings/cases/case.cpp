#include "findings/cases/case.h"

#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/false_discovery.h"
#include "parallel/loops.h"

#include <algorithm>

namespace kymo::findings {

namespace {
// q above which chance explains a feature that could be tested.
constexpr double kSignificance = 0.05;
}  // namespace

const Feature* Case::feature(std::string_view name) const {
    const auto found =
        std::find_if(features.begin(), features.end(), [&](const Feature& feature) { return feature.name == name; });
    return found != features.end() ? &*found : nullptr;
}

bool Case::differs(std::string_view name, double ratio) const {
    const Feature* found = feature(name);
    return found != nullptr && found->bad > 0 && found->bad >= ratio * found->good &&
           (!tested || found->q <= kSignificance);
}

double Case::excess_share(TermSet terms) const {
    const std::int64_t total = excess.total();
    if (total <= 0) {
        return 0;
    }
    std::int64_t part = 0;
    for (const TermInfo& info : kTerms) {
        part += has(terms, info.term) ? excess.terms.*info.member : 0;
    }
    return std::clamp(static_cast<double>(part) / static_cast<double>(total), 0.0, 1.0);
}

std::vector<TimeRange> Case::bad_times() const {
    std::vector<TimeRange> times;
    if (node == kNoNode) {
        return times;
    }
    for (const std::size_t row : bad_rows) {
        times.push_back({space().rows.begin[row], space().rows.end[row]});
    }
    for (const GapRow& gap : long_gaps) {
        times.push_back({gap.begin, gap.end});
    }
    for (const WaitReturn& wait : returns) {
        times.push_back({wait.begin, wait.end});
    }
    std::sort(times.begin(), times.end(), [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    return times;
}

std::uint32_t counter(const spacetime::Evidence& evidence, std::string_view name) {
    const auto& names = evidence.run.counters;
    const auto found = std::find(names.begin(), names.end(), name);
    return found != names.end() ? static_cast<std::uint32_t>(found - names.begin()) : kNoNode;
}

Case run_case(const spacetime::Evidence& evidence) {
    Case subject;
    subject.evidence = &evidence;
    subject.bad.count = 1;
    subject.bad.terms = evidence.run.total;
    subject.bad.deltas = evidence.run.deltas;
    return subject;
}

Grounds::Grounds(const spacetime::Evidence& of)
    : evidence(of), visits(of.nodes.size()), gaps(of.nodes.size()), returns(return_grounds(of)) {
    std::vector<std::vector<std::uint32_t>> siblings = levels(evidence);
    spaces.resize(siblings.size());
    parallel::for_each_index(spaces.size(),
                             [&](std::size_t i) { spaces[i] = space_ground(evidence, std::move(siblings[i])); });
    parallel::for_each_index(static_cast<std::uint32_t>(visits.size()), [&](std::uint32_t node) {
        visits[node] = {.node = node,
                        .split = occurrence_split(evidence, node),
                        .before = compared_neighbours(evidence, node),
                        .compared = {}};
        if (visits[node].split.slow != 0 || !visits[node].before.empty()) {
            visits[node].compared = compare_by_features(evidence, visits_of(evidence.nodes[node].rows));
        }
        gaps[node] = gap_ground(evidence, node);
    });
}

std::vector<Case> make_cases(const Grounds& grounds, const CaseOptions& options) {
    std::vector<Case> cases;
    if (options.shuffle == nullptr) {
        cases.push_back(run_case(grounds.evidence));
        add_thread_cases(grounds.evidence, &cases);
    }
    add_space_cases(grounds, options, &cases);
    add_occurrence_cases(grounds, options, &cases);
    add_neighbour_cases(grounds, options, &cases);
    add_gap_cases(grounds, options, &cases);
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

bool is_inside(const spacetime::Evidence& evidence, std::uint32_t node, std::uint32_t around) {
    // The rounds of a loop have in them what the loop has.
    if (around < evidence.nodes.size() && evidence.nodes[around].kind == spacetime::SpaceKind::kIteration) {
        around = evidence.nodes[around].parent;
    }
    while (node < evidence.nodes.size()) {
        if (node == around) {
            return true;
        }
        node = evidence.nodes[node].parent;
    }
    return false;
}

}  // namespace kymo::findings
