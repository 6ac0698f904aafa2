// busy-wait, by the account: a thread takes and releases a lock again and again, and does nothing else: it polls.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kNothingElse = 0.7;  // of a thread's processor time: what is left is looking at what the lock guards
constexpr double kSurelyPolling = 0.95;

void claim_lock_polling(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const double run = duration_ns(evidence);
    const auto sums = sums_by_function(evidence.account, [](const AccountRow& row) {
        return row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kLocking;
    });
    for (const AccountSums& own : sums) {
        ByThread polling;
        for (const auto& [thread, ns] : own.threads) {
            if (ns >= kNothingElse * static_cast<double>(processor(evidence.run.threads[thread].total))) {
                polling[thread] = ns;
            }
        }
        const double part = sum(polling) / static_cast<double>(own.ns);
        const double shorter = part * static_cast<double>(own.shorter_ns);
        if (polling.empty() || shorter < least_ns(evidence)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kUser, Term::kSystem));
        claim.own = at_most(polling, run);
        claim.own_sure = kSurelyPolling;
        claim.shorter_ns = shorter;
        claim.threads = main_threads(polling);
        claim.title = fmt::format("For {} {} {} and {} a lock in {} and nothing else: {} what it guards.",
                                  in_seconds(sum(polling)), thread_names(evidence, claim.threads),
                                  does(claim.threads, "take"), does(claim.threads, "release"), name(*claim.place),
                                  claim.threads.size() == 1 ? "it polls" : "they poll");
        claim.evidence = {seconds_of("taking and releasing the lock", sum(polling) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kLockPolling{
    .place = 300,
    .kind = "busy-wait",
    .needs =
        "a thread spends seven tenths of its processor time in taking and releasing locks in one function; the run "
        "could be a tenth shorter without it",
    .against = "it does something else as well: then locks cost, but nothing is polled (locking-overhead)",
    .look = claim_lock_polling,
    .direction =
        "wait for the event itself: a condition variable with the same lock, an atomic's wait, or a semaphore",
    .confirm = "sleep for 1 ms after each look, for one run: it must become shorter by about this time",
};

}  // namespace kymo::findings
