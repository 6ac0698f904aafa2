#include "findings/cases/case.h"

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
    const std::int64_t total = excess.total() - (has(terms, Term::kRunQueue) ? 0 : excess.terms.run_queue);
    if (total <= 0) {
        return 0;
    }
    return std::clamp(static_cast<double>(sum_of(excess.terms, terms)) / static_cast<double>(total), 0.0, 1.0);
}

std::vector<TimeRange> Case::bad_times() const {
    std::vector<TimeRange> times;
    if (node == kNone) {
        return times;
    }
    for (const std::size_t row : bad_rows) {
        times.push_back({rows().begin[row], rows().end[row]});
    }
    for (const WaitReturn& wait : returns) {
        times.push_back({wait.begin, wait.end});
    }
    std::sort(times.begin(), times.end(), [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    return times;
}

CounterIndex counter(const spacetime::Evidence& evidence, std::string_view name) {
    const auto& names = evidence.run.counters;
    const auto found = std::find(names.begin(), names.end(), name);
    return found != names.end() ? CounterIndex(found - names.begin()) : kNone;
}

bool is_inside(const spacetime::Evidence& evidence, NodeIndex node, NodeIndex around) {
    // The rounds of a loop contain what the loop contains.
    if (around != kNone && around.in(evidence.nodes).kind == spacetime::SpaceKind::kIteration) {
        around = around.in(evidence.nodes).parent;
    }
    while (node != kNone) {
        if (node == around) {
            return true;
        }
        node = node.in(evidence.nodes).parent;
    }
    return false;
}

}  // namespace kymo::findings
