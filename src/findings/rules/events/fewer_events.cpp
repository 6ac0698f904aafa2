// more-events, as an advantage: the fewer, fast occurrences of a piece of code lack an event that the others have.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/costly_events.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

void claim_fewer_in_fast(const Case& subject, std::vector<Claim>* claims) {
    if (!subject.tested || subject.bad.count * 2 <= subject.bad.count + subject.good.count ||
        subject.bad.median_ns < kLeastSlower * subject.good.median_ns || did_more_work(subject) ||
        may_be_several(subject) || may_merge(subject)) {
        return;
    }
    const double faster = subject.bad.median_ns / subject.good.median_ns;
    const Feature* const event = clearest_event(subject, faster);
    if (event == nullptr) {
        return;
    }
    Claim claim;
    claim.feature = event->name;
    const spacetime::OccurrenceTable& rows = subject.rows();
    double all = 0;
    for (const std::size_t row : subject.good_rows) {
        const double saved = std::max(0.0, subject.bad.median_ns - static_cast<double>(own_ns(rows.terms[row])));
        claim.own.push_back({rows.thread[row], saved});
        claim.own_parts.push_back(saved);
        claim.when.push_back({rows.begin[row], rows.end[row]});
        claim.threads.push_back(rows.thread[row]);
        all += saved;
    }
    std::sort(claim.threads.begin(), claim.threads.end());
    claim.threads.erase(std::unique(claim.threads.begin(), claim.threads.end()), claim.threads.end());
    claim.own_terms = costs_of(*class_of(subject, *event));
    claim.title = fmt::format(
        "{} of the {} occurrences of {} are {} faster than the rest ({} against {}), which saves {}; they have {} {} "
        "({} each against {}).",
        subject.good.count, subject.bad.count + subject.good.count, name_of(subject), times(faster),
        in_seconds(subject.good.median_ns), in_seconds(subject.bad.median_ns), in_seconds(all),
        event->good > 0 ? times(event->bad / event->good) + " fewer" : "none of the", event->name,
        number(event->good), number(event->bad));
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kFewerEventsOfOccurrences{
    .place = 276,
    .kind = "more-events",
    .contrast = Contrast::kOccurrences,
    .of_code = Contrast::kCodeOccurrences,
    .needs =
        "most occurrences are slow; they carry ten events and more each, 1.5 times as often by wall time as the few "
        "fast ones, most of them more often than most of the fast ones (Cliff's delta 0.474), which chance does not "
        "explain; and at least half of the difference is time that such events can take",
    .against =
        "the event counts work (instructions, cycles, references); the slow ones did more work; so many events "
        "cannot cost a fifth of the difference, where it is known what one costs at most; or some may be several",
    .look = claim_fewer_in_fast,
    .direction = "what these occurrences find or do is worth having in the others as well",
    .confirm = "compare the input and the neighbours of the fast occurrences with those of the others",
    .is_advantage = true,
};

}  // namespace kymo::findings
