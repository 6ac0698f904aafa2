// thundering-herd: threads that wait for a condition are woken together, and most find nothing to do and wait again.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kLeastPart = 0.05;  // of the run
constexpr double kMostInVain = 0.5;
constexpr std::uint64_t kLeastInVain = 100;
constexpr double kSureOfVain = 0.8;  // waking those who have work costs as well

struct Herd {
    std::uint64_t count = 0;
    std::uint64_t in_vain = 0;
    std::vector<std::uint32_t> targets;  // ascending

    double part() const { return count == 0 ? 0 : static_cast<double>(in_vain) / static_cast<double>(count); }
};

// By process and object: conditions most of whose waits end in vain.
std::vector<Herd> herds(const Evidence& evidence) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, Herd> conditions;
    for (std::uint32_t i = 0; i < std::min(evidence.wait_targets.size(), evidence.wait_sums.size()); ++i) {
        const WaitTarget& target = evidence.wait_targets[i];
        if (target.kind != WaitKind::kCondition || target.is_pythons) {
            continue;
        }
        Herd& herd = conditions[{target.process, target.object}];
        herd.count += evidence.wait_sums[i].count;
        herd.in_vain += evidence.wait_sums[i].in_vain;
        herd.targets.push_back(i);
    }
    std::vector<Herd> found;
    for (auto& [object, herd] : conditions) {
        if (herd.in_vain >= kLeastInVain && herd.part() >= kMostInVain) {
            found.push_back(std::move(herd));
        }
    }
    return found;
}

bool wakes_all(const AccountRow& row) {
    const std::string_view call = row.detail;
    return row.family == TaxFamily::kLocking &&
           (call.find("broadcast") != std::string_view::npos || call.find("notify_all") != std::string_view::npos);
}

// Time in which a thread goes to sleep, wakes, and takes the lock again.
bool is_of_waking(const AccountRow& row) {
    return row.time_class == TimeClass::kSpinning || row.time_class == TimeClass::kSystemCall ||
           row.time_class == TimeClass::kKernel || row.time_class == TimeClass::kLockWait ||
           (row.time_class == TimeClass::kRunTime && row.family == TaxFamily::kLocking);
}

void claim_herd(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const double run = duration_ns(evidence);
    const std::vector<Herd> found = herds(evidence);
    for (const Herd& herd : found) {
        std::set<std::pair<std::string, std::string>> places;
        for (const std::uint32_t target : herd.targets) {
            const program::SourcePlace& place = evidence.wait_targets[target].place;
            places.emplace(place.function, place.module);
        }
        ByThread threads;
        ByThread sleepers;
        double own = 0;
        double shorter = 0;
        const AccountRow* most = nullptr;
        for (const AccountRow& row : evidence.account.rows) {
            const bool is_sleepers = places.contains({row.place.function, row.place.module}) && is_of_waking(row);
            if (!is_sleepers && !wakes_all(row)) {
                continue;
            }
            // Which condition a call wakes is not known: each of several has an equal part of it.
            const double part = herd.part() / (is_sleepers ? 1 : static_cast<double>(found.size()));
            own += part * static_cast<double>(row.ns);
            shorter += part * static_cast<double>(row.shorter_ns);
            for (const AccountTime& time : row.threads) {
                threads[time.thread] += part * static_cast<double>(time.ns);
                if (is_sleepers) {
                    sleepers[time.thread] += static_cast<double>(time.ns);
                }
            }
            most = is_sleepers && (most == nullptr || row.ns > most->ns) ? &row : most;
        }
        if (most == nullptr || sleepers.size() < 2 || shorter < kLeastPart * run) {
            continue;
        }
        Claim claim;
        claim.node = node_of(evidence, most->place);
        claim.place = to_place(most->place);
        claim.own = at_most(threads, run);
        claim.own_sure = kSureOfVain;
        claim.own_terms = set_of(Term::kUser, Term::kSystem, Term::kWaiting);
        claim.shorter_ns = shorter;
        claim.threads = main_threads(sleepers);
        claim.targets = herd.targets;
        claim.title = fmt::format(
            "{} threads wait for one condition in {}; {} of their {} waits end in vain: the thread finds nothing to "
            "do and waits again at once.",
            sleepers.size(), name(*claim.place), number(static_cast<double>(herd.in_vain)),
            number(static_cast<double>(herd.count)));
        claim.evidence = {seconds("waking and falling asleep in vain", own / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kThunderingHerd{
    .place = 259,
    .kind = "thundering-herd",
    .needs =
        "half of the waits for a condition, a hundred and more, end in vain: the thread waits for it again within "
        "5 µs; the run could be a twentieth shorter without that part of waking, falling asleep and taking the lock",
    .against = "one thread alone waits for it: then it may be a time limit",
    .look = claim_herd,
    .direction =
        "wake one thread for each piece of work (notify_one, pthread_cond_signal), or give different waiters "
        "conditions of their own; wake all only where all have something to do",
    .confirm = "wake one instead of all for one run: the number of waits must fall to the number of pieces of work",
};

}  // namespace kymo::findings
