// slow-instance: a few visits of a piece of code take much longer than the rest of them.
//
// The generic rule: it says what happened and what the excess consists of. Why is for the other rules; where none of
// them explains half of it, this one is shown.
#include "findings/rules/common.h"
#include "findings/rules/table.h"
#include "findings/words.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

constexpr double kLeastSlower = 1.2;

void look(const Case& subject, std::vector<Claim>* claims) {
    // The exception is what is slow: where most visits are, the fast ones are the exception. And one that others kept
    // from the processor is none of the code's.
    if (subject.bad.median_ns < kLeastSlower * subject.good.median_ns ||
        subject.bad.count * 2 > subject.bad.count + subject.good.count ||
        subject.excess_share(set_of(Term::kRunQueue)) > 0.5) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = kAllTerms & ~set_of(Term::kRunQueue)};
    claim.title = fmt::format("{} and account for {}.", slow_words(subject),
                              in_seconds(static_cast<double>(subject.excess.total())));
    if (const std::string account = account_words(subject); !account.empty()) {
        claim.title += " " + account + ".";
    }
    claims->push_back(std::move(claim));
}

}  // namespace

const Rule kSlowInstance{
    .kind = "slow-instance",
    .contrast = Contrast::kOccurrences,
    .needs = "a few occurrences (at most half) are clearly apart from the rest and take at least 1.2 times as long",
    .against =
        "more than half of the excess is waiting for a processor; or another rule explains at least half of it",
    .look = look,
    .direction =
        "look at what these occurrences have in common (their times are listed): the same data, the same "
        "moment, the same caller",
    .confirm =
        "mark these occurrences in the program (kymo/monitor.h) with what they work on, record again, and "
        "compare the marks of the slow ones",
    .is_generic = true,
};

}  // namespace kymo::findings
