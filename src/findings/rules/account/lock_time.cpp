// lock-contention, by the account: waiting for locks and the work of taking them
// under contention, of one function.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastWaits = 0.2;  // of the time; otherwise taking locks is what takes it (locking-overhead)

void claim_lock_time(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const auto sums = sums_by_function(evidence.account, [](const AccountRow& row) {
        return row.time_class == TimeClass::kLockWait ||
               (row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kLocking);
    });
    for (const AccountSums& own : sums) {
        std::int64_t waited = 0;
        for (const AccountRow& row : evidence.account.rows) {
            waited += row.time_class == TimeClass::kLockWait && row.place.function == own.most->place.function &&
                              row.place.module == own.most->place.module
                          ? row.ns
                          : 0;
        }
        if (static_cast<double>(own.shorter_ns) < least_ns(evidence) ||
            static_cast<double>(waited) < kLeastWaits * static_cast<double>(own.ns)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kWaiting, Term::kUser, Term::kSystem));
        claim.targets = targets_at(evidence, own.most->place, is_lock);
        claim.title =
            fmt::format("{} {} for locks in {}, {} in all, and {} {} in taking and giving them back.",
                        thread_names(evidence, claim.threads), does(claim.threads, "wait"), name(*claim.place),
                        in_seconds(static_cast<double>(waited)), claim.threads.size() == 1 ? "spends" : "spend",
                        in_seconds(static_cast<double>(own.ns - waited)));
        claim.evidence = {seconds("waiting for locks", static_cast<double>(waited) / 1e9),
                          seconds_of("taking and giving back locks", static_cast<double>(own.ns - waited) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kLockTime{
    .place = 260,
    .kind = "lock-contention",
    .needs =
        "the run could be a tenth shorter without one function's waiting for locks and its taking and giving them "
        "back, a fifth of which is waiting",
    .against = "other threads have the processors meanwhile: then the run would not be shorter",
    .look = claim_lock_time,
    .direction =
        "hold the lock for less, protect parts of the data by locks of their own, or work on copies that are joined "
        "under the lock once",
    .confirm = "run with one thread: if the time a piece of work takes falls, the lock is the cause",
};

}  // namespace kymo::findings
