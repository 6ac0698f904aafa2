#include "findings/rules/shared/costly_events.h"

#include "base/metric_event.h"
#include "findings/cases/features.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

// page_faults.cpp reports these, with further knowledge beside the count: for example which are the first of a
// thread.
bool has_own_rule(std::string_view event, Contrast contrast) {
    return event == "page-faults" &&
           (contrast == Contrast::kSpace || contrast == Contrast::kOccurrences || contrast == Contrast::kGaps);
}

// The smallest kept node inside that has nearly all of a node's events.
NodeIndex where_they_happen(const spacetime::Evidence& evidence, NodeIndex node, CounterIndex event) {
    constexpr double kNearlyAll = 0.9;
    const auto all = static_cast<double>(event.in(node.in(evidence.nodes).deltas));
    for (const NodeIndex child : indices(evidence.nodes)) {
        const spacetime::SpaceNode& inner = child.in(evidence.nodes);
        if (inner.parent == node && inner.kind != spacetime::SpaceKind::kIteration &&
            inner.kind != spacetime::SpaceKind::kMark &&
            static_cast<double>(event.in(inner.deltas)) >= kNearlyAll * all) {
            return where_they_happen(evidence, child, event);
        }
    }
    return node;
}

// A thread that waits in a library's call, or polls there, gives up the processor each time: the rules for waits
// cover these.
bool are_of_waits(const Case& subject, std::string_view event) {
    if (event != "context-switches") {
        return false;
    }
    const spacetime::Evidence& evidence = *subject.evidence;
    const NodeIndex at = where_they_happen(evidence, subject.node, counter(evidence, event));
    const spacetime::SpaceNode& held = at.in(evidence.nodes);
    return held.place.file.empty() || is_library(held.place) || held.total.mostly_waits();
}

}  // namespace

const spacetime::EventClass* class_of(const Case& subject, const Feature& feature) {
    if (counter(*subject.evidence, feature.name) == kNone || has_own_rule(feature.name, subject.contrast)) {
        return nullptr;
    }
    const spacetime::EventClass& known = spacetime::event_class(feature.name);
    const bool is_of_addresses = subject.same != kNone && known.most_ns > kMostOnProcessorNs;
    return known.meaning == spacetime::EventMeaning::kWork || is_of_addresses ? nullptr : &known;
}

TermSet costs_of(const spacetime::EventClass& known) {
    const TermSet on_processor = set_of(Term::kUser, Term::kSystem);
    return known.waits ? on_processor | set_of(Term::kWaiting, Term::kOther) : on_processor;
}

const Feature* clearest_event(const Case& subject, double longer) {
    const double often = subject.tested ? kMoreOften : kMoreOftenUntested;
    const auto found = std::find_if(subject.features.begin(), subject.features.end(), [&](const Feature& feature) {
        const spacetime::EventClass* known = class_of(subject, feature);
        if (known == nullptr || feature.effect < kLargeEffect || feature.bad < kLeastEvents ||
            feature.bad < often * longer * feature.good || !subject.differs(feature.name, often) ||
            subject.excess_share(costs_of(*known)) < kLeastInTerms) {
            return false;
        }
        const double most = (feature.bad - feature.good) * static_cast<double>(subject.bad.count) * known->most_ns;
        return known->most_ns == 0 || most >= kLeastCovered * static_cast<double>(subject.excess.total());
    });
    return found != subject.features.end() ? &*found : nullptr;
}

bool may_compare_spaces(const Case& subject) {
    const auto there = static_cast<double>(processor(subject.bad.terms));
    const auto rest = static_cast<double>(processor(subject.good.terms));
    return (subject.tested || subject.bad.count < kLeastTested) && rest >= kLeastRest * (there + rest);
}

bool crowds_in_space(const Case& subject, const Feature& feature) {
    const auto there = static_cast<double>(processor(subject.bad.terms));
    return feature.effect >= kLargeEffect && subject.differs(feature.name, kMoreThere) &&
           !are_of_waits(subject, feature.name) &&
           feature.bad * there / 1e9 >= kLeastEvents * static_cast<double>(subject.bad.count);
}

std::string against_rest_words(std::string_view event, double here, double rest) {
    return rest > 0 ? fmt::format("{} as many {} a second as the rest of the program", times(here / rest), event)
                    : fmt::format("all the program's {}", event);
}

std::string cost_not_known_words(std::string_view event) {
    return fmt::format(" What one of these {} costs is not known.", event);
}

std::string cause_words(const spacetime::EventClass& known) {
    return known.cause.empty() ? "" : " " + std::string(known.cause) + ".";
}

void say_what_to_do(const spacetime::EventClass& known, std::string_view event, Claim* claim) {
    claim->direction =
        is_metric_event(event) ? fmt::format("look at what counts {} here", event)
        : known.remedy.empty()
            ? fmt::format("look at what raises {} here: its lines are found by kymo hunt -e {}", event, event)
            : std::string(known.remedy);
}

}  // namespace kymo::findings
