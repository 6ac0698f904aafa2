#include "findings/rules/shared/gap_filler.h"

#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace kymo::findings {
namespace {

double filled_by(const GapRow& gap, std::uint32_t node) {
    double rest = static_cast<double>(gap.ns);
    for (const spacetime::GapPart& part : gap.filled) {
        if (part.node == node) {
            return static_cast<double>(part.ns);
        }
        rest -= static_cast<double>(part.ns);
    }
    return node == kNoNode ? std::max(0.0, rest) : 0;
}

Filler fill_of(const Case& subject, std::uint32_t node) {
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
    std::set<std::uint32_t> nodes{kNoNode};
    for (const GapRow& gap : subject.long_gaps) {
        for (const spacetime::GapPart& part : gap.filled) {
            nodes.insert(part.node);
        }
    }
    Filler best;
    for (const std::uint32_t node : nodes) {
        Filler filler = fill_of(subject, node);
        if (best.own_ns.empty() || filler.all() > best.all()) {
            best = std::move(filler);
        }
    }
    return best;
}

std::uint32_t filler_node(const Case& subject, const Filler& filler) {
    return filler.node != kNoNode ? innermost(*subject.evidence, filler.node) : subject.space().parent;
}

std::string filler_name(const Case& subject, const Filler& filler) {
    const std::uint32_t node = filler_node(subject, filler);
    return filler.node != kNoNode ? name(*subject.evidence, node)
           : node != kNoNode      ? "own code of " + name(*subject.evidence, node)
                                  : "code too small to be told";
}

std::string long_gap_words(const Case& subject, const Filler& filler) {
    const bool has_ratio = subject.good.median_ns > 0;
    return fmt::format("{} of the {} gaps between occurrences of {} last{} {} ({} against {}), mostly in {}",
                       subject.bad.count, subject.bad.count + subject.good.count,
                       name(*subject.evidence, subject.node), subject.bad.count == 1 ? "s" : "",
                       has_ratio ? times(subject.bad.median_ns / subject.good.median_ns) + " longer than the rest"
                                 : "longer than the rest",
                       in_seconds(subject.bad.median_ns), in_seconds(subject.good.median_ns),
                       filler_name(subject, filler));
}

}  // namespace kymo::findings
