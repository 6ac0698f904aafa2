#include "spacetime/evidence/span_nodes.h"

#include "spacetime/evidence/identity.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

void plan_iterations(const std::vector<LevelStructure>& levels, PlannedSpans& plan) {
    for (std::uint32_t node = 0; node < levels.size(); ++node) {
        if (!levels[node].is_loop) {
            continue;
        }
        const auto group = static_cast<std::uint32_t>(plan.groups.size());
        for (const auto& [thread, rounds] : levels[node].streams) {
            for (std::uint32_t i = 0; i < rounds.rounds.size(); ++i) {
                plan.spans[thread].push_back({rounds.rounds[i].begin, rounds.rounds[i].end, group, i});
            }
        }
        plan.groups.push_back({.node = NodeIndex(node)});
    }
}

void plan_marks(const OccurrencePass& occurrences, PlannedSpans& plan) {
    std::map<std::uint32_t, std::uint32_t> groups;  // by mark
    for (const auto& [thread, rows] : occurrences.marks) {
        struct Open {
            std::uint64_t begin = 0;
            std::uint32_t depth = 0;
            std::uint32_t order = 0;
        };
        std::map<std::uint32_t, Open> open;
        for (const MarkRow& row : rows) {
            Open& mark = open[row.name];
            if (row.kind == recording::MarkKind::kBegin) {
                mark.begin = mark.depth++ == 0 ? row.time : mark.begin;
                continue;
            }
            if (row.kind != recording::MarkKind::kEnd || mark.depth == 0) {
                continue;
            }
            mark.depth -= 1;
            if (mark.depth == 0) {
                const auto [group, is_new] =
                    groups.try_emplace(row.name, static_cast<std::uint32_t>(plan.groups.size()));
                if (is_new) {
                    plan.groups.push_back({.mark = row.name});
                }
                plan.spans[thread].push_back({mark.begin, row.time, group->second, mark.order++});
            }
        }
    }
}

SpaceNode iteration_of(const SpaceNode& loop, NodeIndex index, std::uint64_t rounds) {
    SpaceNode node;
    node.kind = SpaceKind::kIteration;
    node.parent = index;
    node.depth = loop.depth + 1;
    node.place = loop.place;
    node.path = loop.path;
    node.identity = mix_identity(loop.identity, "rounds");
    node.lines = loop.lines;
    node.rounds = rounds;
    return node;
}

SpaceNode node_of_mark(const std::string& name) {
    SpaceNode node;
    node.kind = SpaceKind::kMark;
    node.mark = name;
    node.identity = mix_identity(kNoIdentity, name);
    return node;
}

}  // namespace

PlannedSpans plan_spans(const std::vector<LevelStructure>& levels, const OccurrencePass& occurrences,
                        std::size_t threads) {
    PlannedSpans plan;
    plan.spans.resize(threads);
    plan_iterations(levels, plan);
    plan_marks(occurrences, plan);
    for (std::vector<Span>& spans : plan.spans) {
        std::erase_if(spans, [](const Span& span) { return span.begin >= span.end; });
        std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
            return std::tuple(a.begin, b.end, a.group) < std::tuple(b.begin, a.end, b.group);
        });
    }
    return plan;
}

void add_span_nodes(const std::vector<SpanGroup>& groups, std::vector<NodeSums>&& sums,
                    const std::vector<LevelStructure>& levels, const OccurrencePass& occurrences,
                    const Meanwhile& meanwhile, const EvidenceOptions& options, std::vector<SpaceNode>& nodes,
                    std::vector<SpaceIntervals>& intervals) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i].occurrences == 0) {
            continue;
        }
        const auto number = static_cast<std::uint32_t>(nodes.size());
        const NodeIndex loop = groups[i].node;
        SpaceNode node;
        if (loop != kNone) {
            loop.in(nodes).iteration = NodeIndex(number);
            node = iteration_of(loop.in(nodes), loop, loop.in(levels).rounds);
        } else {
            node = node_of_mark(occurrences.mark_names[groups[i].mark]);
            if (sums[i].gaps.count != 0) {
                intervals.push_back(make_intervals(number, sums[i]));
            }
        }
        fill_node(node, std::move(sums[i]), meanwhile, options);
        nodes.push_back(std::move(node));
    }
}

}  // namespace kymo::spacetime
