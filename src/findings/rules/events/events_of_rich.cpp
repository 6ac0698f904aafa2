// more-events, from the events' side: occurrences of a piece of code that are rich in an event take longer than those
// that are poor in it, though durations do not separate them; and, as an advantage, the few poor ones are faster.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/costly_events.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

constexpr double kMoreInRich = 3;  // in an occurrence

// Of one occurrence, in the mean.
double mean_count(const Case& subject, const Side& side) {
    return static_cast<double>(subject.event.in(side.deltas)) /
           static_cast<double>(std::max<std::size_t>(1, side.count));
}

// The event that the rich ones have more of and take longer with; null: none that may be reported.
const spacetime::EventClass* event_that_costs(const Case& subject) {
    const Feature* const duration = subject.feature("duration");
    const Feature event{.name = subject.event.in(subject.evidence->run.counters)};
    const spacetime::EventClass* known = class_of(subject, event);
    const double rich = mean_count(subject, subject.bad);
    const double poor = mean_count(subject, subject.good);
    if (!subject.tested || duration == nullptr || known == nullptr || duration->effect < kLargeEffect ||
        !subject.differs("duration", 1) || subject.bad.median_ns < kLeastSlower * subject.good.median_ns ||
        rich < kLeastEvents || rich < kMoreInRich * poor || did_more_work(subject) ||
        may_merge(*subject.evidence, subject.node) || subject.excess_share(costs_of(*known)) < kLeastInTerms) {
        return nullptr;
    }
    const double most = (rich - poor) * static_cast<double>(subject.bad.count) * known->most_ns;
    const bool may_cost_it =
        known->most_ns == 0 || most >= kLeastCovered * static_cast<double>(subject.excess.total());
    return may_cost_it ? known : nullptr;
}

bool are_most_rich(const Case& subject) {
    return subject.bad.count > subject.good.count;
}

void claim_events_of_rich(const Case& subject, std::vector<Claim>* claims) {
    const spacetime::EventClass* const known = event_that_costs(subject);
    if (known == nullptr || are_most_rich(subject)) {
        return;
    }
    const std::string& event = subject.event.in(subject.evidence->run.counters);
    const std::string where = mostly_at(subject.space(), subject.event);
    Claim claim;
    claim.explains = Explains{.terms = costs_of(*known)};
    claim.feature = "duration";
    claim.title = fmt::format(
        "{} of the {} occurrences of {} have many more {} ({} each against {}){} and take {} as long as the others "
        "({} against {}).{}",
        number(static_cast<double>(subject.bad.count)),
        number(static_cast<double>(subject.bad.count + subject.good.count)), name(*subject.evidence, subject.node),
        event, number(mean_count(subject, subject.bad)), number(mean_count(subject, subject.good)),
        where.empty() ? "" : ", " + where, times(subject.bad.median_ns / subject.good.median_ns),
        in_seconds(subject.bad.median_ns), in_seconds(subject.good.median_ns), cause_words(*known));
    say_what_to_do(*known, event, &claim);
    claims->push_back(std::move(claim));
}

void claim_poor_are_faster(const Case& subject, std::vector<Claim>* claims) {
    if (event_that_costs(subject) == nullptr || !are_most_rich(subject)) {
        return;
    }
    Claim claim;
    claim.feature = "duration";
    for (const std::size_t row : subject.good_rows) {
        const double saved =
            std::max(0.0, subject.bad.median_ns - static_cast<double>(own_ns(subject.rows().terms[row])));
        claim.own.push_back({subject.rows().thread[row], saved});
        claim.own_parts.push_back(saved);
        claim.when.push_back({subject.rows().begin[row], subject.rows().end[row]});
        claim.threads.push_back(subject.rows().thread[row]);
    }
    std::sort(claim.threads.begin(), claim.threads.end());
    claim.threads.erase(std::unique(claim.threads.begin(), claim.threads.end()), claim.threads.end());
    claim.own_terms = costs_of(*event_that_costs(subject));
    claim.title = fmt::format(
        "{} of the {} occurrences of {} have few {} ({} each against {}) and are {} faster ({} against {}).",
        number(static_cast<double>(subject.good.count)),
        number(static_cast<double>(subject.bad.count + subject.good.count)), name(*subject.evidence, subject.node),
        subject.event.in(subject.evidence->run.counters), number(mean_count(subject, subject.good)),
        number(mean_count(subject, subject.bad)), times(subject.bad.median_ns / subject.good.median_ns),
        in_seconds(subject.good.median_ns), in_seconds(subject.bad.median_ns));
    claims->push_back(std::move(claim));
}

constexpr std::string_view kRichNeeds =
    "by wall time some occurrences carry clearly more of the event than the others do, ten and more each and three "
    "times as many; their median is 1.2 times as long, most of them are longer than most of the others (Cliff's "
    "delta "
    "0.474), which chance does not explain; and at least half of the difference is time that such events can take";
constexpr std::string_view kRichAgainst =
    "the event counts work (instructions, cycles, references), or has a rule of its own; they did more work; so many "
    "events cannot cost a fifth of the difference, where it is known what one costs at most; the slow and the fast "
    "ones are the same occurrences; threads differ, not occurrences; or some may be several";

}  // namespace

extern const Rule kMoreEventsOfRich{
    .place = 243,
    .kind = "more-events",
    .contrast = Contrast::kRich,
    .needs = kRichNeeds,
    .against = kRichAgainst,
    .look = claim_events_of_rich,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
};

extern const Rule kFewerEventsOfPoor{
    .place = 277,
    .kind = "more-events",
    .contrast = Contrast::kRich,
    .needs = kRichNeeds,
    .against = kRichAgainst,
    .look = claim_poor_are_faster,
    .direction = "what these occurrences find or do is worth having in the others as well",
    .confirm = "compare the input and the neighbours of the fast occurrences with those of the others",
    .is_advantage = true,
};

}  // namespace kymo::findings
