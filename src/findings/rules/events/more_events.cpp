// more-events: some counted event is concentrated where time goes: in the slow occurrences of a piece of code, in
// the long gaps between them, or in the code itself against the rest of the program.
//
// Any counter may be reported, in the words of its class (event_class.h), or by its name alone. That events and
// time coincide does not show which is the cause; the claim is bounded by the maximum cost of such an event.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/costly_events.h"
#include "findings/rules/shared/gap_filler.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using spacetime::EventClass;

// "9× more cache-misses (1,200 each)".
std::string more_words(const Case& subject, const Feature& event) {
    return fmt::format("{} {} ({}{})", event.good > 0 ? times(event.bad / event.good) + " more" : "all the",
                       event.name, number(event.bad), subject.bad.count == 1 ? "" : " each");
}

void claim_events_of_occurrences(const Case& subject, std::vector<Claim>* claims) {
    if (!subject.tested || subject.bad.median_ns < kLeastSlower * subject.good.median_ns ||
        subject.bad.count * 2 > subject.bad.count + subject.good.count || did_more_work(subject) ||
        may_be_several(subject) || may_merge(subject)) {
        return;
    }
    const double longer = subject.bad.median_ns / subject.good.median_ns;
    const Feature* const speaker = clearest_event(subject, longer);
    if (speaker == nullptr) {
        return;
    }
    const EventClass& known = *class_of(subject, *speaker);
    Claim claim;
    claim.explains = Explains{.terms = costs_of(known)};
    claim.feature = speaker->name;
    const std::string where = mostly_at(subject.space(), counter(*subject.evidence, speaker->name));
    claim.title =
        fmt::format("{} and account{} for {}; they carry {}{}.{}", slow_words(subject),
                    subject.bad.count == 1 ? "s" : "", in_seconds(static_cast<double>(subject.excess.total())),
                    more_words(subject, *speaker), where.empty() ? "" : ", " + where, cause_words(known));
    say_what_to_do(known, speaker->name, &claim);
    claims->push_back(std::move(claim));
}

double mean_wall(const Side& side) {
    return static_cast<double>(side.terms.wall()) / static_cast<double>(std::max<std::size_t>(1, side.count));
}

void claim_events_of_gaps(const Case& subject, std::vector<Claim>* claims) {
    const double longer = std::max(1.0, mean_wall(subject.bad) / std::max(1.0, mean_wall(subject.good)));
    const Feature* const speaker = clearest_event(subject, longer);
    if (speaker == nullptr) {
        return;
    }
    const EventClass& known = *class_of(subject, *speaker);
    Claim claim;
    claim.explains = Explains{.terms = costs_of(known)};
    claim.feature = speaker->name;
    std::string gaps;
    if (subject.contrast == Contrast::kCodeGaps) {
        gaps = long_gap_words(subject);
    } else {
        const Filler filler = main_filler(subject);
        claim.node = filler_node(subject, filler);
        gaps = long_gap_words(subject, filler);
    }
    claim.title = fmt::format("{}; {} {}.{}", gaps, subject.bad.count == 1 ? "it carries" : "they carry",
                              more_words(subject, *speaker), cause_words(known));
    say_what_to_do(known, speaker->name, &claim);
    claims->push_back(std::move(claim));
}

// The most that a kind of event costs the code beyond the rest's rate of it. ns.
struct Cost {
    const Feature* feature = nullptr;
    double ns = 0;
};

void claim_events_of_spaces(const Case& subject, std::vector<Claim>* claims) {
    const auto there = static_cast<double>(processor(subject.bad.terms));
    if (!may_compare_spaces(subject)) {
        return;
    }
    Cost dearest;
    for (const Feature& feature : subject.features) {
        const EventClass* known = class_of(subject, feature);
        if (known == nullptr || known->most_ns == 0 || !crowds_in_space(subject, feature)) {
            continue;
        }
        const double ns = (feature.bad - feature.good) * there / 1e9 * known->most_ns;
        if (ns > dearest.ns) {
            dearest = {&feature, ns};
        }
    }
    if (dearest.feature == nullptr) {
        return;
    }
    const Feature& feature = *dearest.feature;
    const EventClass& known = *class_of(subject, feature);
    const TermSet costs = costs_of(known);
    const auto spent = static_cast<double>(std::max<std::int64_t>(1, sum_of(subject.bad.terms, costs)));
    Claim claim;
    claim.own =
        by_thread(subject.space(), [costs](const spacetime::TimeTerms& terms) { return sum_of(terms, costs); });
    double all = 0;
    for (ThreadTime& time : claim.own) {
        time.ns *= std::min(1.0, dearest.ns / spent);
        all += time.ns;
    }
    claim.own_terms = costs;
    claim.own_sure = kSureOfCost;
    claim.feature = feature.name;
    const std::string where = mostly_at(subject.space(), counter(*subject.evidence, feature.name));
    claim.title = fmt::format("{} has {}{}: they cost it up to {}.{}", name(*subject.evidence, subject.node),
                              against_rest_words(feature.name, feature.bad, feature.good),
                              where.empty() ? "" : ", " + where, in_seconds(all), cause_words(known));
    say_what_to_do(known, feature.name, &claim);
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kMoreEventsOfOccurrences{
    .place = 240,
    .kind = "more-events",
    .contrast = Contrast::kOccurrences,
    .of_code = Contrast::kCodeOccurrences,
    .needs =
        "slow occurrences carry ten events and more each, 1.5 times as often by wall time as the fast ones, most of "
        "them more often than most of the fast ones (Cliff's delta 0.474), which chance does not explain; and at "
        "least half of their excess is time that such events can take: on the processor, of major faults also "
        "waiting",
    .against =
        "the event counts work (instructions, cycles, references); the slow ones did more work; so many events "
        "cannot cost a fifth of the excess, where it is known what one costs at most; most occurrences are slow, or "
        "some may be several",
    .look = claim_events_of_occurrences,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
};

extern const Rule kMoreEventsOfGaps{
    .place = 242,
    .kind = "more-events",
    .contrast = Contrast::kGaps,
    .of_code = Contrast::kCodeGaps,
    .needs =
        "some gaps between occurrences are clearly longer than the rest; they carry ten events and more each, 1.5 "
        "times as often by wall time as the others, most of them more often than most of the others (Cliff's delta "
        "0.474), which chance does not explain; where there are too few long ones to test that, three times as "
        "often; and at least half of their excess is time that such events can take",
    .against =
        "the event counts work (instructions, cycles, references); so many events cannot cost a fifth of the excess, "
        "where it is known what one costs at most; more than a third of the gaps are long",
    .look = claim_events_of_gaps,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
};

extern const Rule kMoreEventsOfSpace{
    .place = 245,
    .kind = "more-events",
    .contrast = Contrast::kSpace,
    .needs =
        "by processor time the code has three times as many of an event as the rest of the program, most of its "
        "occurrences more than most of its neighbours', which chance does not explain where there are three or more; "
        "and what one such event costs at most is known",
    .against =
        "the event counts work (instructions, cycles, references); or the rest of the program has less than a "
        "twentieth of the processor time",
    .look = claim_events_of_spaces,
    .direction = kEventDirection,
    .confirm = kEventConfirm,
    .is_generic = true,  // their place, not their cause
};

}  // namespace kymo::findings
