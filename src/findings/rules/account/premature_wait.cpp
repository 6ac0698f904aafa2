// premature-wait: a thread waits for others one after the other, so that they take turns instead of working at once.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kMostOfOne = 0.6;  // of the time waited: for one thread. More: that one's work is what takes long
// Of the time waited, what the run could be shorter by. Where one works at a time it is half: the one that waits
// could work as well. Less: several work at once most of the time, and some end before others.
constexpr double kLeastSaved = 0.3;
constexpr double kMostHeldUp = 0.3;  // of the time waited: those waited for lack a processor

// So many children that each take no longer are another defect: starting them (process-churn).
constexpr std::uint64_t kManyChildren = 20;
constexpr std::int64_t kShortNs = 30'000'000;

// Ends when another thread or process has done a piece of work.
bool is_for_work(WaitKind kind) {
    return kind == WaitKind::kJoin || kind == WaitKind::kCondition || kind == WaitKind::kSemaphore ||
           kind == WaitKind::kFutex || kind == WaitKind::kChild;
}

struct Awaited {
    double ns = 0;
    double held_up_ns = 0;
    std::map<std::uint32_t, double> by_holder;
    std::uint64_t count = 0;
    std::uint64_t children = 0;  // waited for, which of them is not known; each ends once
    double longest_for_child_ns = 0;
};

Awaited awaited(const Evidence& evidence, const std::vector<std::uint32_t>& targets) {
    Awaited result;
    for (const std::uint32_t target : targets) {
        const WaitSum& sum = evidence.wait_sums[target];
        const WaitTarget& of = evidence.wait_targets[target];
        result.ns += static_cast<double>(sum.ns);
        result.held_up_ns += static_cast<double>(sum.held_up_ns);
        const bool are_short =
            sum.count >= kManyChildren && sum.ns <= kShortNs * static_cast<std::int64_t>(sum.count);
        if (of.kind == WaitKind::kChild && of.holder == kNone && !are_short) {
            result.children += sum.count;
            result.longest_for_child_ns = std::max(result.longest_for_child_ns, static_cast<double>(sum.longest_ns));
        } else {
            result.by_holder[of.holder] += static_cast<double>(sum.ns);
        }
        result.count += sum.count;
    }
    return result;
}

std::size_t known_holders(const Awaited& waited) {
    return waited.by_holder.size() - waited.by_holder.count(kNone) + waited.children;
}

// Several threads, of which none is waited for most of the time.
bool take_turns(const Awaited& waited) {
    double most = waited.longest_for_child_ns;
    for (const auto& [holder, ns] : waited.by_holder) {
        most = std::max(most, ns);
    }
    const auto unknown = waited.by_holder.find(kNone);
    return known_holders(waited) >= 2 && most <= kMostOfOne * waited.ns &&
           (unknown == waited.by_holder.end() || unknown->second <= kMostOfOne / 2 * waited.ns);
}

void claim_premature_wait(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const auto sums = sums_by_function(evidence.account, [](const AccountRow& row) {
        return row.time_class == TimeClass::kThreadWait || row.time_class == TimeClass::kChildWait;
    });
    for (const AccountSums& own : sums) {
        const std::vector<std::uint32_t> targets = targets_at(evidence, own.most->place, is_for_work);
        const Awaited waited = awaited(evidence, targets);
        const std::vector<std::uint32_t> threads = main_threads(own.threads);
        if (static_cast<double>(own.shorter_ns) < least_ns(evidence) || threads.size() != 1 || !take_turns(waited) ||
            waited.held_up_ns > kMostHeldUp * waited.ns ||
            static_cast<double>(own.shorter_ns) < kLeastSaved * static_cast<double>(own.ns)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kWaiting));
        claim.targets = targets;
        claim.title = fmt::format(
            "In {} {} waits {} for {} others, one after the other, {} in all: mostly one works at a time. With all "
            "processors at work the run could be {} shorter.",
            name(*claim.place), thread_names(evidence, threads), how_often(waited.count),
            number(static_cast<double>(known_holders(waited))), in_seconds(static_cast<double>(own.ns)),
            in_seconds(static_cast<double>(own.shorter_ns)));
        claim.evidence = {{"waits", static_cast<double>(waited.count)},
                          seconds("waiting for them", static_cast<double>(own.ns) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kPrematureWait{
    .place = 262,
    .kind = "premature-wait",
    .needs =
        "one thread waits at one function for two others and more, for none of them most of the time, and the run "
        "could be a tenth shorter had the processors been used meanwhile",
    .against =
        "several of them work at once for most of that time; those waited for lack a processor for a third of that "
        "time; who is waited for is not known for a third of "
        "it, but for children, each of which ends once; there are twenty children and more of 30 ms at most",
    .look = claim_premature_wait,
    .direction = "start all of the work first, then wait for its parts; or let the waiting thread do a part itself",
    .confirm =
        "start two pieces before the first wait: the run must become shorter; if it does not, they need the same "
        "data "
        "or lock",
    .is_generic = true,
};

}  // namespace kymo::findings
