#include "view/spaces/space_words.h"

#include "program/demangle.h"
#include "spacetime/evidence/telling_caller.h"

#include <fmt/format.h>

namespace kymo::view {

using namespace spacetime;

std::string space_name(const SpaceNode& node) {
    std::string function = node.place.function.empty() ? "?" : program::plain_name(node.place.function);
    switch (node.kind) {
        case SpaceKind::kLoopNest:
            return "loop nest in " + function;
        case SpaceKind::kLoop:
            return "loop in " + function;
        case SpaceKind::kIteration:
            return "rounds of " + function;
        case SpaceKind::kMark:
            return "mark \"" + node.mark + "\"";
        default:
            return function;
    }
}

std::string place_lines(const Place& place, bool unicode) {
    if (place.file.empty() || place.line_begin == 0) {
        return {};
    }
    const std::string file = place.file.substr(place.file.rfind('/') + 1);
    return place.line_end > place.line_begin
               ? fmt::format("{}:{}{}{}", file, place.line_begin, unicode ? "–" : "-", place.line_end)
               : fmt::format("{}:{}", file, place.line_begin);
}

bool is_of_created_threads(const SpaceNode& node) {
    return node.total.user + node.total.system > 2 * static_cast<std::int64_t>(node.durations.total);
}

bool repeats_parent(const Evidence& evidence, NodeIndex node) {
    const SpaceNode& space = node.in(evidence.nodes);
    if (space.parent == kNone || space.role != Role::kNone || space.kind == SpaceKind::kIteration ||
        space.kind == SpaceKind::kMark) {
        return false;
    }
    const SpaceNode& parent = space.parent.in(evidence.nodes);
    return space.occurrences == parent.occurrences && space.total.wall() * 20 >= parent.total.wall() * 19;
}

std::string neighbour_name(const Evidence& evidence, std::uint32_t neighbour, NodeIndex node, bool is_before) {
    switch (neighbour) {
        case kStreamEdge:
            return is_before ? "(begin)" : "(end)";
        case kOutside: {
            const NodeIndex parent = node.in(evidence.nodes).parent;
            return parent != kNone ? "(outside " + space_name(parent.in(evidence.nodes)) + ")" : "(elsewhere)";
        }
        case kAnyNeighbour:
            return "(any)";
        case kParentItself: {
            const NodeIndex parent = node.in(evidence.nodes).parent;
            return parent != kNone ? "own code of " + space_name(parent.in(evidence.nodes))
                                   : "(code under the threshold)";
        }
        default:
            return neighbour < evidence.nodes.size() ? telling_name(evidence, NodeIndex(neighbour)) : "?";
    }
}

std::string telling_name(const Evidence& evidence, NodeIndex node) {
    const std::string name = space_name(node.in(evidence.nodes));
    const std::string caller = telling_caller(evidence, node);
    return caller.empty() ? name : fmt::format("{} (by {})", name, program::plain_name(caller));
}

std::string wait_words(const WaitTarget& target) {
    std::string words = spacetime::wait_words(target.kind, target.object);
    if (is_synchronisation(target.kind) && target.kind != recording::WaitKind::kJoin) {
        words += fmt::format(" {:#x}", target.object);
    }
    if (!target.place.function.empty()) {
        words += " in " + program::plain_name(target.place.function);
    }
    return words;
}

std::string_view kind_key(SpaceKind kind) {
    switch (kind) {
        case SpaceKind::kInlined:
            return "inlined";
        case SpaceKind::kLoopNest:
            return "loop_nest";
        case SpaceKind::kLoop:
            return "loop";
        case SpaceKind::kIteration:
            return "iteration";
        case SpaceKind::kMark:
            return "mark";
        default:
            return "function";
    }
}

std::string_view rule_key(PairCase rule) {
    switch (rule) {
        case PairCase::kNoJump:
            return "no_jump";
        case PairCase::kOnePath:
            return "one_path";
        case PairCase::kSeveralPaths:
            return "several_paths";
        case PairCase::kExecuted:
            return "executed";
        default:
            return "no_path";
    }
}

bool passes(const Place& place, std::string_view filter) {
    return place.function.find(filter) != std::string::npos || place.file.find(filter) != std::string::npos ||
           place.module.find(filter) != std::string::npos;
}

std::vector<std::int64_t> cost_row(const TimeTerms& terms, std::uint64_t samples,
                                   const std::vector<std::int64_t>& deltas) {
    std::vector<std::int64_t> row(kFirstEvent);
    row[kUser] = terms.user + terms.spinning;
    row[kSystem] = terms.system;
    row[kOffCpu] = terms.run_queue + terms.waiting + terms.other;
    row[kSamples] = static_cast<std::int64_t>(samples);
    row.insert(row.end(), deltas.begin(), deltas.end());
    return row;
}

}  // namespace kymo::view
