#include "findings/rules/shared/more_inside.h"

namespace kymo::findings {
namespace {

using spacetime::SpaceKind;
using spacetime::SpaceNode;

// Rows of other threads, and those of this one that begin before: rows are by thread, then by begin.
std::size_t occurrences_before(const spacetime::OccurrenceTable& occurrences, std::uint32_t thread,
                               std::uint64_t time) {
    std::size_t low = 0;
    std::size_t high = occurrences.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const bool is_before = occurrences.thread[middle] != thread ? occurrences.thread[middle] < thread
                                                                    : occurrences.begin[middle] < time;
        (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    return low;
}

}  // namespace

bool has_more_inside(const Case& subject) {
    const spacetime::Evidence& evidence = *subject.evidence;
    const SpaceNode& space = subject.space();
    const bool is_round = space.kind == SpaceKind::kIteration;
    if (!is_round && space.kind != SpaceKind::kLoop && space.kind != SpaceKind::kLoopNest) {
        return false;
    }
    // Callees in a round are beside it in the tree, below the loop.
    const NodeIndex loop = is_round ? space.parent : subject.node;
    // Occurrences of these nodes in a round, on average.
    const auto seen_in = [&](const std::vector<std::size_t>& rows, std::span<const SpaceNode> nodes,
                             bool with_bridged) {
        double seen = 0;
        for (const SpaceNode& child : nodes) {
            if (child.parent != loop || (is_round && child.kind == SpaceKind::kIteration)) {
                continue;
            }
            for (const std::size_t row : rows) {
                const std::uint32_t thread = space.rows.thread[row];
                const std::size_t end = occurrences_before(child.rows, thread, space.rows.end[row]);
                for (std::size_t at = occurrences_before(child.rows, thread, space.rows.begin[row]); at < end; ++at) {
                    seen += 1 + (with_bridged ? static_cast<double>(child.rows.bridged[at]) : 0);
                }
            }
        }
        return rows.empty() ? 0 : seen / static_cast<double>(rows.size());
    };
    const auto is_in_proportion = [&](double usual, double more) {
        return more * subject.good.median_ns * 2 >= usual * subject.bad.median_ns;
    };
    const double usual = seen_in(subject.good_rows, evidence.nodes, false);
    // A loop without samples of calls is not informative; a round is the time between two of its calls.
    if ((is_round || usual > 0) && is_in_proportion(usual, seen_in(subject.bad_rows, evidence.nodes, true))) {
        return true;
    }
    // Or as many more of one of them: one in each round, or in one of several.
    return is_round && std::any_of(evidence.nodes.begin(), evidence.nodes.end(), [&](const SpaceNode& node) {
               const double of_one = seen_in(subject.good_rows, {&node, 1}, false);
               return of_one > 0 && is_in_proportion(of_one, seen_in(subject.bad_rows, {&node, 1}, false));
           });
}

}  // namespace kymo::findings
