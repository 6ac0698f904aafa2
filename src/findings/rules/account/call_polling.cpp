// busy-wait, by the account: a thread asks again and again whether a process has ended, or a result is there, on a
// processor.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kCollectingNs = 200e3;  // of a process that has ended: releasing what it had
constexpr double kSurelyAsking = 0.9;

void claim_call_polling(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const auto is_asking = [](const AccountRow& row) { return is_child_call(row) || is_timed_call(row); };
    for (const AccountSums& own : sums_by_function(evidence.account, is_asking)) {
        const auto spent = static_cast<double>(own.ns);
        const double collecting =
            is_child_call(*own.most) ? kCollectingNs * static_cast<double>(evidence.run.processes.size()) : 0;
        if (spent < least_ns(evidence) + collecting) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kUser, Term::kSystem));
        claim.own_sure = kSurelyAsking * (1 - collecting / spent);
        claim.title =
            fmt::format("{} {} {} of processor time in `{}` in {}: the call returns at once, and {} again.",
                        thread_names(evidence, claim.threads), does(claim.threads, "spend"), in_seconds(spent),
                        own.most->detail, name(*claim.place), claim.threads.size() == 1 ? "it asks" : "they ask");
        claim.evidence = {seconds_of("on a processor in the call", spent / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kCallPolling{
    .place = 319,
    .kind = "busy-wait",
    .needs =
        "a thread spends a tenth of the run on a processor in calls that wait for a process (wait4, waitid), or for "
        "a time for a result (std::future::wait_for), which it does not where they wait",
    .against = "as many processes ended as would take that time to collect, at 200 µs each",
    .look = claim_call_polling,
    .direction =
        "wait without a time limit (std::future::get; for a process, without WNOHANG) in a thread of its own, or "
        "poll() a pidfd, together with what else may happen",
    .confirm = "sleep for 1 ms after each call that found nothing, for one run: the others must become faster",
};

}  // namespace kymo::findings
