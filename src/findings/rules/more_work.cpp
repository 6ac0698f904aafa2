// more-work: slow occurrences did more of the same work, at the same speed: no defect of the code.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

constexpr double kLeastSpeed = 0.8;      // of the usual one: below, the work became slower as well
constexpr double kLeastUserShare = 0.6;  // of the excess in user time

void claim_more_work(const Case& subject, std::vector<Claim>* claims) {
    const double speed = work_ratio(subject);
    if (!did_more_work(subject) || speed < kLeastSpeed || speed > 1 / kLeastSpeed ||
        subject.excess_share(set_of(Term::kUser)) < kLeastUserShare ||
        subject.bad.count * 2 > subject.bad.count + subject.good.count || may_be_several(subject)) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = set_of(Term::kUser)};
    claim.title =
        fmt::format("{} because they do more work: they work at {} of the usual speed. {} more.", slow_words(subject),
                    in_percent(speed), in_seconds(static_cast<double>(subject.excess.terms.user)));
    claim.evidence.push_back({"work by user time, relative", speed, 1, speed, kUnknown, kUnknown});
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kMoreWork{
    .place = 190,
    .kind = "more-work",
    .contrast = Contrast::kOccurrences,
    .needs =
        "at least 60 % of the slow occurrences' excess is user time, and their progress (loop iterations or "
        "instructions by user time) is that of the fast ones to a factor of 1.25, and what they did more explains at "
        "least half of their additional user time",
    .against =
        "progress by user time fell: then the work became slower; or one or two took as long as a whole number of "
        "others, "
        "and may be so many of them",
    .look = claim_more_work,
    .direction =
        "the code is as fast as ever; if these occurrences hold others up, divide their work into more even "
        "pieces",
    .confirm = "print the amount of work (elements, bytes) of each occurrence and lay it beside the times listed",
};

}  // namespace kymo::findings
