// more-events, in rates: an event whose cost only the user can know is frequent in a piece of code, or beside one
// neighbour. The finding reports how often it happens, and that its cost is not known.
#include "base/metric_event.h"
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/costly_events.h"
#include "findings/rules/shared/neighbourhood.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

// A metric of the program that is counted almost only in this code is counted here: not a finding.
bool is_where_it_is_counted(const Case& subject, const Feature& feature) {
    constexpr double kLeastElsewhere = 0.1;
    const auto counted = [&](double a_second, const Side& side) {
        return a_second * static_cast<double>(processor(side.terms));
    };
    return is_metric_event(feature.name) &&
           counted(feature.good, subject.good) < kLeastElsewhere * counted(feature.bad, subject.bad);
}

bool has_unknown_cost(const Case& subject, const Feature& feature) {
    const spacetime::EventClass* const known = class_of(subject, feature);
    return known != nullptr && known->most_ns == 0;
}

Claim claim_of(const Feature& feature) {
    Claim claim;
    claim.is_cost_known = false;
    claim.own_terms = set_of(Term::kUser, Term::kSystem);
    claim.feature = feature.name;
    say_what_to_do(spacetime::event_class(feature.name), feature.name, &claim);
    return claim;
}

void claim_rate_of_space(const Case& subject, std::vector<Claim>* claims) {
    if (!may_compare_spaces(subject)) {
        return;
    }
    const auto found = std::find_if(subject.features.begin(), subject.features.end(), [&](const Feature& feature) {
        return has_unknown_cost(subject, feature) && crowds_in_space(subject, feature) &&
               !is_where_it_is_counted(subject, feature);
    });
    if (found == subject.features.end()) {
        return;
    }
    Claim claim = claim_of(*found);
    const std::string where = mostly_at(subject.space(), counter(*subject.evidence, found->name));
    claim.title =
        fmt::format("{} has {}{}{}.{}", name(*subject.evidence, subject.node),
                    against_rest_words(found->name, found->bad, found->good),
                    found->good > 0 ? fmt::format(" ({} against {})", number(found->bad), number(found->good)) : "",
                    where.empty() ? "" : ", " + where, cost_not_known_words(found->name));
    claims->push_back(std::move(claim));
}

void claim_count_by_neighbour(const Case& subject, std::vector<Claim>* claims) {
    if (!subject.tested || may_merge(*subject.evidence, subject.node)) {
        return;
    }
    const auto found = std::find_if(subject.features.begin(), subject.features.end(), [&](const Feature& feature) {
        const CounterIndex event = counter(*subject.evidence, feature.name);
        return has_unknown_cost(subject, feature) && feature.effect >= kLargeEffect && feature.bad >= kLeastEvents &&
               feature.bad >= kMoreByNeighbour * feature.good &&
               is_beyond_either(subject, kMoreByNeighbour, true, [&](std::size_t row) {
                   return static_cast<double>(event.in(subject.rows().deltas_of(row)));
               });
    });
    if (found == subject.features.end()) {
        return;
    }
    Claim claim = claim_of(*found);
    claim.title = fmt::format(
        "{} has {} more {} {} ({} times, {} each) than otherwise ({} times, {} each).{}",
        name(*subject.evidence, subject.node), found->good > 0 ? times(found->bad / found->good) : "many",
        found->name, neighbourhood_words(subject), number(static_cast<double>(subject.bad.count)), number(found->bad),
        number(static_cast<double>(subject.good.count)), number(found->good), cost_not_known_words(found->name));
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kEventRateOfSpace{
    .place = 248,
    .kind = "more-events",
    .contrast = Contrast::kSpace,
    .needs =
        "by processor time the code has three times as many of an event as the rest of the program, most of its "
        "occurrences more than most of its neighbours', which chance does not explain where there are three or more",
    .against =
        "what one such event costs is known; or the rest of the program has less than a twentieth of the processor "
        "time; or it is a metric of the program's own, less than a tenth of which is counted elsewhere",
    .look = claim_rate_of_space,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
    .is_generic = true,  // their place, not their cause
};

extern const Rule kEventCountByNeighbour{
    .place = 247,
    .kind = "more-events",
    .contrast = Contrast::kNeighbours,
    .needs =
        "at least five occurrences after this neighbour (before it, or between two) and five others; 1.5 times as "
        "many of an event in an occurrence, most of the one side more often by wall time than most of the other "
        "(Cliff's delta 0.474), which chance does not explain in pairs of occurrences that follow each other",
    .against =
        "what one such event costs is known; or what lies between two occurrences is often too short to be seen: "
        "then "
        "some are several",
    .look = claim_count_by_neighbour,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
};

}  // namespace kymo::findings
