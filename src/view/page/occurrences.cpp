#include "view/page/occurrences.h"

#include "spacetime/evidence/telling_caller.h"
#include "view/page/heavy.h"
#include "view/page/tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

// Neighbours in the page: 0 … 3 are not spaces, others space + 4.
std::uint32_t neighbour(std::uint32_t node) {
    switch (node) {
        case kStreamEdge:
            return 0;
        case kOutside:
            return 1;
        case kParentItself:
            return 2;
        case kAnyNeighbour:
            return 3;
        default:
            return node + 4;
    }
}

std::string last_name(const SpaceNode& node) {
    return node.place.function.empty() ? std::string("?") : node.place.function;
}

std::string lines_of(const Place& place) {
    if (place.line_begin == 0) {
        return {};
    }
    const std::string file = place.file.substr(place.file.rfind('/') + 1);
    const std::string first = file + ":" + std::to_string(place.line_begin);
    return place.line_end > place.line_begin ? first + "–" + std::to_string(place.line_end) : first;
}

std::string label_of(const SpaceNode& node) {
    switch (node.kind) {
        case SpaceKind::kLoopNest:
        case SpaceKind::kLoop:
            return "loop " + lines_of(node.place) + " in " + last_name(node);
        case SpaceKind::kIteration:
            return "rounds of " + last_name(node) + " " + lines_of(node.place);
        case SpaceKind::kMark:
            return "mark " + node.mark;
        default:
            return last_name(node);
    }
}

const char* kind_of(SpaceKind kind) {
    switch (kind) {
        case SpaceKind::kLoopNest:
        case SpaceKind::kLoop:
            return "loop";
        case SpaceKind::kIteration:
            return "rounds";
        case SpaceKind::kMark:
            return "mark";
        default:
            return "function";
    }
}

Json spaces(const Evidence& evidence, const std::vector<std::uint32_t>& calls) {
    std::map<std::uint32_t, const SpaceIntervals*> intervals;
    for (const SpaceIntervals& one : evidence.intervals) {
        intervals[one.node] = &one;
    }
    Json list = Json::array();
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const auto found = intervals.find(raw(i));
        const bool has_gaps = found != intervals.end();
        const std::string caller = telling_caller(evidence, i);
        list.push_back(
            {{"label", shown_text(label_of(node))},
             {"caller", shown_text(caller)},
             {"kind", kind_of(node.kind)},
             {"call", i.in(calls)},
             {"parent", node.parent == kNone ? -1 : std::int64_t{raw(node.parent)}},
             {"occurrences", node.occurrences},
             {"folded", node.folded},
             {"period", has_gaps && found->second->period ? Json(found->second->period->ns) : Json(nullptr)},
             {"gap", has_gaps ? Json(found->second->median_gap_ns) : Json(nullptr)},
             {"structure", node.structure}});
    }
    return list;
}

Json patterns(const Evidence& evidence) {
    Json list = Json::array();
    for (const CodePattern& pattern : evidence.patterns) {
        list.push_back({{"before", neighbour(pattern.before)},
                        {"node", pattern.node},
                        {"after", neighbour(pattern.after)},
                        {"count", pattern.durations.count},
                        {"total", pattern.durations.total},
                        {"longest", pattern.durations.longest},
                        {"events", pattern.deltas}});
    }
    return list;
}

// Rows of a node's occurrences to keep: all in the range, or each n-th.
std::vector<std::size_t> rows_of(const OccurrenceTable& table, const Profile& profile, const TimeRange& range,
                                 std::size_t every) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const std::uint64_t begin = table.begin[row] - std::min(table.begin[row], profile.begin);
        const std::uint64_t end = table.end[row] - std::min(table.end[row], profile.begin);
        if (end > range.begin && begin < range.end && row % every == 0) {
            rows.push_back(row);
        }
    }
    return rows;
}

constexpr std::size_t kTerms = 6;

std::array<std::int64_t, kTerms> terms_of(const TimeTerms& terms) {
    return {terms.user, terms.system, terms.run_queue, terms.waiting, terms.other, terms.spinning};
}

}  // namespace

std::vector<std::uint32_t> page_nodes(const Evidence& evidence, const CallTree& tree, const Leaves& leaves) {
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> child;
    std::vector<std::uint32_t> tops{0};
    for (std::uint32_t node = 1; node < leaves.nodes.size(); ++node) {
        const CallNode& call = leaves.nodes[node].in(tree.nodes);
        child.try_emplace({leaves.parents[node], tree.symbols.functions[call.function].name}, node);
        if (call.kind != NodeKind::kFrame) {
            tops.push_back(node);  // a process, or where partial call paths hang
        }
    }
    std::vector<std::uint32_t> nodes;
    for (const SpaceNode& space : evidence.nodes) {
        std::uint32_t best = 0;
        std::size_t best_depth = 0;
        for (const std::uint32_t top : tops) {
            std::uint32_t at = top;
            std::size_t depth = 0;
            for (const std::string& name : space.path) {
                const auto next = child.find({at, name});
                if (next == child.end()) {
                    break;
                }
                at = next->second;
                ++depth;
            }
            if (depth > best_depth) {
                best = at;
                best_depth = depth;
            }
        }
        nodes.push_back(best);
    }
    return nodes;
}

Blob make_occurrences(const Evidence& evidence, const Profile& profile, const CallTree& tree, const Leaves& leaves,
                      const TimeRange& range, std::size_t most) {
    const std::size_t all =
        std::accumulate(evidence.nodes.begin(), evidence.nodes.end(), std::size_t{0},
                        [](std::size_t sum, const SpaceNode& node) { return sum + node.rows.size(); });
    const std::size_t every = std::max<std::size_t>(1, (all + most - 1) / std::max<std::size_t>(most, 1));
    const std::vector<std::string>& counters = evidence.run.counters;
    std::vector<std::uint64_t> first{0};
    std::vector<std::uint64_t> begin;
    std::vector<std::uint64_t> length;
    std::vector<std::uint32_t> thread;
    std::vector<std::uint32_t> before;
    std::vector<std::uint32_t> after;
    std::vector<std::uint32_t> processor;
    std::vector<std::uint32_t> migrations;
    std::vector<std::uint32_t> order;
    std::vector<std::vector<std::int64_t>> terms(kTerms);
    std::vector<std::vector<std::int64_t>> events(counters.size());
    for (const SpaceNode& node : evidence.nodes) {
        const OccurrenceTable& table = node.rows;
        for (const std::size_t row : rows_of(table, profile, range, every)) {
            begin.push_back(table.begin[row] - std::min(table.begin[row], profile.begin));
            length.push_back(table.duration(row));
            thread.push_back(table.thread[row]);
            before.push_back(neighbour(table.before[row]));
            after.push_back(neighbour(table.after[row]));
            processor.push_back(table.processor[row]);
            migrations.push_back(table.migrations[row]);
            order.push_back(table.order[row]);
            const auto parts = terms_of(table.terms[row]);
            for (std::size_t term = 0; term < kTerms; ++term) {
                terms[term].push_back(parts[term]);
            }
            const auto deltas = table.deltas_of(row);
            for (std::size_t event = 0; event < events.size(); ++event) {
                events[event].push_back(event < deltas.size() ? deltas[event] : 0);
            }
        }
        first.push_back(begin.size());
    }
    Blob blob;
    blob.json["spaces"] = spaces(evidence, page_nodes(evidence, tree, leaves));
    blob.json["patterns"] = patterns(evidence);
    blob.json["counters"] = counters;
    blob.deltas("first", first);
    blob.deltas("begin", begin);
    blob.varints("length", length);
    blob.varints("thread", thread);
    blob.varints("before", before);
    blob.varints("after", after);
    blob.varints("processor", processor);
    blob.varints("migrations", migrations);
    blob.varints("order", order);
    blob.numbered_signed("term", terms);
    blob.numbered_signed("event", events);
    write_heavy(evidence, profile, range, blob);
    return blob;
}

}  // namespace kymo::view
