// more-events, by neighbourhood: a piece of code has more of an event after one neighbour (before one, between two)
// than otherwise, whether it takes longer there or not; and, as an advantage, fewer of it.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/costly_events.h"
#include "findings/rules/shared/neighbourhood.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using spacetime::EventClass;

// Reported of the occurrences after this neighbour: that they have more, or that they have fewer.
enum class Than : std::uint8_t { kMore, kFewer };

bool may_speak_of(const Feature& feature, Than than) {
    const double high = than == Than::kMore ? feature.bad : feature.good;
    const double low = than == Than::kMore ? feature.good : feature.bad;
    const double effect = than == Than::kMore ? feature.effect : -feature.effect;
    return effect >= kLargeEffect && high >= kLeastEvents && high >= kMoreByNeighbour * low;
}

// The most that the difference in one occurrence costs, or saves; at most the time that it can be in. ns.
double cost_of(const Case& subject, std::size_t row, CounterIndex event, const Feature& feature,
               const EventClass& known, Than than) {
    const auto& rows = subject.space().rows;
    const double more = static_cast<double>(event.in(rows.deltas_of(row))) - feature.good;
    const double ns = (than == Than::kMore ? more : -more) * known.most_ns;
    // Savings are not in the occurrence's own time.
    return than == Than::kMore ? std::clamp(ns, 0.0, static_cast<double>(sum_of(rows.terms[row], costs_of(known))))
                               : std::max(0.0, ns);
}

void claim_events(const Case& subject, Than than, std::vector<Claim>* claims) {
    if (!subject.tested || may_merge(subject)) {
        return;
    }
    const Feature* dearest = nullptr;
    double most = 0;
    for (const Feature& feature : subject.features) {
        const EventClass* known = class_of(subject, feature);
        if (known == nullptr || known->most_ns == 0 || !may_speak_of(feature, than)) {
            continue;
        }
        const double ns = std::abs(feature.bad - feature.good) * known->most_ns;
        const CounterIndex event = counter(*subject.evidence, feature.name);
        const auto count = [&](std::size_t row) {
            return static_cast<double>(event.in(subject.rows().deltas_of(row)));
        };
        if (ns > most && is_beyond_either(subject, kMoreByNeighbour, than == Than::kMore, count)) {
            most = ns;
            dearest = &feature;
        }
    }
    if (dearest == nullptr) {
        return;
    }
    const EventClass& known = *class_of(subject, *dearest);
    const CounterIndex event = counter(*subject.evidence, dearest->name);
    Claim claim;
    double all = 0;
    for (const std::size_t row : subject.bad_rows) {
        const double ns = cost_of(subject, row, event, *dearest, known, than);
        claim.own.push_back({subject.space().rows.thread[row], ns});
        claim.own_parts.push_back(ns);
        all += ns;
    }
    claim.own_terms = costs_of(known);
    claim.own_sure = kSureOfCost;
    claim.feature = dearest->name;
    const double high = std::max(dearest->bad, dearest->good);
    const double low = std::min(dearest->bad, dearest->good);
    claim.title =
        fmt::format("{} has {} {} {} {} ({} times, {} each) than otherwise ({} times, {} each): that {} up to {}.{}",
                    name_of(subject), low > 0 ? times(high / low) : "many", than == Than::kMore ? "more" : "fewer",
                    dearest->name, neighbourhood_words(subject), number(static_cast<double>(subject.bad.count)),
                    number(dearest->bad), number(static_cast<double>(subject.good.count)), number(dearest->good),
                    than == Than::kMore ? "costs" : "saves", in_seconds(all),
                    than == Than::kMore ? cause_words(known) : std::string());
    if (is_of_what_follows(subject)) {
        claim.direction = "what comes after was decided here, or by the same input: look at what this code was given";
    } else if (than == Than::kMore) {
        claim.direction = fmt::format("restore what the other neighbours leave behind; or {}", known.remedy);
    }
    claims->push_back(std::move(claim));
}

void claim_more(const Case& subject, std::vector<Claim>* claims) {
    claim_events(subject, Than::kMore, claims);
}

void claim_fewer(const Case& subject, std::vector<Claim>* claims) {
    claim_events(subject, Than::kFewer, claims);
}

constexpr std::string_view kByNeighbourNeeds =
    "at least five occurrences after this neighbour (before it, or between two) and five others; 1.5 times as many "
    "of "
    "an event in an occurrence, most of the one side more often by wall time than most of the other (Cliff's delta "
    "0.474), which chance does not explain in pairs of occurrences that follow each other; and what one such event "
    "costs at most is known";
constexpr std::string_view kByNeighbourAgainst =
    "the event counts work (instructions, cycles, references); or what lies between two occurrences is often too "
    "short to be seen: then some are several";

}  // namespace

extern const Rule kMoreEventsByNeighbour{
    .place = 246,
    .kind = "more-events",
    .contrast = Contrast::kNeighbours,
    .of_code = Contrast::kCodeNeighbours,
    .needs = kByNeighbourNeeds,
    .against = kByNeighbourAgainst,
    .look = claim_more,
    .direction = kEventDirection,
    .confirm = "put something neutral between the two (or change their order) and record again: the count must fall",
};

extern const Rule kFewerEventsByNeighbour{
    .place = 275,
    .kind = "more-events",
    .contrast = Contrast::kNeighbours,
    .of_code = Contrast::kCodeNeighbours,
    .needs = kByNeighbourNeeds,
    .against = kByNeighbourAgainst,
    .look = claim_fewer,
    .direction = "what this neighbour leaves behind is worth having elsewhere as well",
    .confirm = "compare the lines of the two neighbours: the order and place of the data that they leave",
    .is_advantage = true,
};

}  // namespace kymo::findings
