#include "findings/rules/shared/gap_filler.h"

#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace kymo::findings {
namespace {

double filled_by(const GapRow& gap, NodeIndex node) {
    double rest = static_cast<double>(gap.ns);
    for (const spacetime::GapPart& part : gap.filled) {
        if (part.node == raw(node)) {
            return static_cast<double>(part.ns);
        }
        rest -= static_cast<double>(part.ns);
    }
    return node == kNone ? std::max(0.0, rest) : 0;
}

Filler fill_of(const Case& subject, NodeIndex node) {
    Filler filler{.node = node, .usual_ns = 0, .own_ns = {}};
    for (const GapRow& gap : subject.short_gaps) {
        filler.usual_ns += filled_by(gap, node) / static_cast<double>(subject.short_gaps.size());
    }
    for (const GapRow& gap : subject.long_gaps) {
        filler.own_ns.push_back(std::max(0.0, filled_by(gap, node) - filler.usual_ns));
    }
    return filler;
}

}  // namespace

Filler main_filler(const Case& subject) {
    std::set<NodeIndex> nodes{kNone};
    for (const GapRow& gap : subject.long_gaps) {
        for (const spacetime::GapPart& part : gap.filled) {
            nodes.insert(NodeIndex(part.node));
        }
    }
    Filler best;
    for (const NodeIndex node : nodes) {
        Filler filler = fill_of(subject, node);
        if (best.own_ns.empty() || filler.all() > best.all()) {
            best = std::move(filler);
        }
    }
    return best;
}

NodeIndex filler_node(const Case& subject, const Filler& filler) {
    return filler.node != kNone ? innermost(*subject.evidence, filler.node) : subject.space().parent;
}

std::string filler_name(const Case& subject, const Filler& filler) {
    const NodeIndex node = filler_node(subject, filler);
    return filler.node != kNone ? name(*subject.evidence, node)
           : node != kNone      ? "own code of " + name(*subject.evidence, node)
                                : "code too small to be shown";
}

std::string long_gap_words(const Case& subject) {
    const bool has_ratio = subject.good.median_ns > 0;
    return fmt::format("{} of the {} gaps between occurrences of {} last{} {} ({} against {})", subject.bad.count,
                       subject.bad.count + subject.good.count, name_of(subject), subject.bad.count == 1 ? "s" : "",
                       has_ratio ? times(subject.bad.median_ns / subject.good.median_ns) + " longer than the rest"
                                 : "longer than the rest",
                       in_seconds(subject.bad.median_ns), in_seconds(subject.good.median_ns));
}

std::string long_gap_words(const Case& subject, const Filler& filler) {
    return fmt::format("{}, mostly in {}", long_gap_words(subject), filler_name(subject, filler));
}

}  // namespace kymo::findings
