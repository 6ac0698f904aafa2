#include "findings/rules/shared/alone.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kymo::findings {

using namespace spacetime;

namespace {

constexpr double kAlone = 1.25;         // threads at work meanwhile, on average: one, and a little
constexpr double kMostlyAlone = 0.8;    // of the processor time
constexpr double kTogether = 0.1;       // of the run: two or more threads at work at the same time
constexpr double kLeastCompany = 0.02;  // of the occurrences' time: less is what sampling blurs
constexpr double kOverlap = 0.1;  // of the occurrences' time in two threads at once: no more than sampling blurs

// Occurrences of different threads do not overlap. Beside a thread with much work, one with little overlaps hardly
// any of it in either case: it takes turns if most of its own time is not beside the other's.
bool takes_turns(const OccurrenceTable& occurrences) {
    std::vector<std::size_t> order(occurrences.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return occurrences.begin[a] < occurrences.begin[b]; });
    double all = 0;
    double both = 0;
    ByThread of_thread;
    std::uint64_t end = 0;
    for (const std::size_t row : order) {
        all += static_cast<double>(occurrences.duration(row));
        of_thread[occurrences.thread[row]] += static_cast<double>(occurrences.duration(row));
        if (occurrences.begin[row] < end) {
            both += static_cast<double>(std::min(end, occurrences.end[row]) - occurrences.begin[row]);
        }
        end = std::max(end, occurrences.end[row]);
    }
    double most = 0;
    for (const auto& [thread, ns] : of_thread) {
        most = std::max(most, ns);
    }
    const bool has_company = all - most >= kLeastCompany * all && 2 * both >= all - most;
    return both <= kOverlap * all && !has_company;
}

bool is_below(const Evidence& evidence, NodeIndex node, NodeIndex above) {
    while (node != kNone && node != above) {
        node = node.in(evidence.nodes).parent;
    }
    return node == above;
}

}  // namespace

bool is_parallel(const Evidence& evidence) {
    double together = 0;
    for (std::size_t ready = 2; ready < evidence.run.ready_ns.size(); ++ready) {
        together += static_cast<double>(evidence.run.ready_ns[ready]);
    }
    return together >= kTogether * duration_ns(evidence);
}

Alone alone_in(const SpaceNode& node) {
    Alone result;
    double kept = 0;
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        const TimeTerms& terms = node.rows.terms[row];
        const auto ns = static_cast<double>(terms.user + terms.system);
        kept += ns;
        if (const float active = node.rows.active_threads[row]; !std::isnan(active) && active <= kAlone) {
            result.times[node.rows.thread[row]] += ns;
        }
    }
    result.all = kept;
    if (node.rows.size() != node.occurrences) {
        result.all = static_cast<double>(node.total.user + node.total.system);
        for (auto& [thread, ns] : result.times) {
            ns *= kept > 0 ? result.all / kept : 0;
        }
    }
    return result;
}

bool is_mostly_alone(const Alone& alone) {
    return alone.all > 0 && sum(alone.times) >= kMostlyAlone * alone.all;
}

double serial_ns(const Evidence& evidence, NodeIndex node) {
    if (node.in(evidence.nodes).kind == SpaceKind::kIteration) {
        node = node.in(evidence.nodes).parent;
    }
    const auto sharing = static_cast<double>(std::max<std::size_t>(
        1, std::min<std::size_t>(node.in(evidence.nodes).threads.size(), evidence.run.processors)));
    double most = 0;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& inner = i.in(evidence.nodes);
        if (inner.kind == SpaceKind::kIteration || inner.kind == SpaceKind::kMark || inner.polls ||
            !is_below(evidence, i, node)) {
            continue;
        }
        const Alone alone = alone_in(inner);
        if (is_mostly_alone(alone) && takes_turns(inner.rows)) {
            most = std::max(most, sum(alone.times) * (1 - 1 / sharing));
        }
    }
    return most;
}

}  // namespace kymo::findings
