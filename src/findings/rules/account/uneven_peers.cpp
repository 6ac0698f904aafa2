// load-imbalance, by the account: threads run the same function at the same time on call paths of their own, as the
// main thread that takes a part of the work does beside the threads that it made, and one waits for the other.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastOfPeer = 0.2;   // of the work of the thread that has most
constexpr double kMostOfThread = 0.6;  // of a thread's processor time: it is there for this function
constexpr double kUnevenWork = 1.1;    // longest by mean
constexpr double kErrors = 3;          // standard errors of samples
constexpr double kSlowerProcessor = 1.3;

struct Shared {
    NodeIndex node;               // of the thread that works most
    ByThread work;                // ns
    bool is_on_one_path = false;  // of two threads and more
};

// A function's work by thread, on all call paths. A function inside itself counts once.
Shared work_in(const Evidence& evidence, const program::SourcePlace& function) {
    Shared shared;
    double most = 0;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        if (node.place.function != function.function || node.place.module != function.module ||
            (node.kind != SpaceKind::kFunction && node.kind != SpaceKind::kInlined)) {
            continue;
        }
        std::size_t threads = 0;
        for (const ThreadTime& time : by_thread(node, [](const TimeTerms& terms) { return processor(terms); })) {
            double& work = shared.work[time.thread];
            work = std::max(work, time.ns);
            threads += time.ns > 0 ? 1 : 0;
            if (time.ns > most) {
                most = time.ns;
                shared.node = i;
            }
        }
        shared.is_on_one_path = shared.is_on_one_path || threads > 1;
    }
    return shared;
}

bool is_for_peers(const AccountRow& row) {
    return (row.time_class == TimeClass::kBarrierWait || row.time_class == TimeClass::kThreadWait) &&
           !row.held_by.function.empty();
}

// Its processor may be what made it longest: the same arithmetic took longer there.
bool has_slower_processor(const RunFacts& run, std::uint32_t longest, const ByThread& work) {
    for (const auto& [thread, ns] : work) {
        const double pace = run.threads[thread].pace;
        if (thread != longest && pace > 0 && run.threads[longest].pace >= kSlowerProcessor * pace) {
            return true;
        }
    }
    return false;
}

void claim_uneven_peers(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    std::set<std::pair<std::string, std::string>> seen;
    for (const AccountRow& row : evidence.account.rows) {
        if (!is_for_peers(row) || !seen.insert({row.held_by.module, row.held_by.function}).second) {
            continue;
        }
        Shared shared = work_in(evidence, row.held_by);
        double most = 0;
        for (const auto& [thread, ns] : shared.work) {
            most = std::max(most, ns);
        }
        std::erase_if(shared.work, [&](const auto& time) {
            const auto all = static_cast<double>(processor(run.threads[time.first].total));
            return time.second < kLeastOfPeer * most || time.second < kMostOfThread * all;
        });
        if (shared.node == kNone || shared.is_on_one_path || shared.work.size() < 2) {
            continue;
        }
        double waited = 0;
        double shorter = 0;
        for (const AccountRow& wait : evidence.account.rows) {
            if (is_for_peers(wait) && wait.held_by.function == row.held_by.function &&
                wait.held_by.module == row.held_by.module &&
                std::all_of(wait.threads.begin(), wait.threads.end(),
                            [&](const AccountTime& part) { return shared.work.contains(part.thread); })) {
                waited += static_cast<double>(wait.ns);
                shorter += static_cast<double>(wait.shorter_ns);
            }
        }
        const auto longest = std::max_element(shared.work.begin(), shared.work.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
        const double mean = sum(shared.work) / static_cast<double>(shared.work.size());
        const double lost = std::min(shorter, longest->second - mean);
        if (longest->second < kUnevenWork * mean || lost < least_ns(evidence) ||
            lost < kErrors * std::sqrt(longest->second * sampling_period(evidence)) ||
            has_slower_processor(run, longest->first, shared.work)) {
            continue;
        }
        const auto peers = static_cast<double>(shared.work.size() - 1);
        Claim claim;
        claim.node = shared.node;
        claim.own = {{longest->first, lost}};
        claim.own_terms = set_of(Term::kWaiting, Term::kSpinning, Term::kOther);
        claim.threads = {longest->first};
        claim.title = fmt::format(
            "In {} {} works {} while {} {} on average and wait{} for it. Evenly shared, the run would be about {} "
            "shorter.",
            name(evidence, shared.node), thread_name(evidence, longest->first), in_seconds(longest->second),
            peers == 1 ? "its peer works" : fmt::format("its {} peers work", number(peers)),
            in_seconds((sum(shared.work) - longest->second) / peers), peers == 1 ? "s" : "", in_seconds(lost));
        claim.evidence = {seconds_of("work, longest against mean of the threads", longest->second / 1e9, mean / 1e9,
                                     longest->second / mean),
                          seconds_of("waiting for the one that works longest", waited / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kUnevenPeers{
    .place = 324,
    .kind = "load-imbalance",
    .needs =
        "threads spend three fifths of their processor time and more in one function, each on a call path of its "
        "own, "
        "one of them 1.1 times the mean or more; the others wait for it while it is there, and the run could be a "
        "tenth shorter without that",
    .against = "its processor was slower, by the same arithmetic at every sample",
    .look = claim_uneven_peers,
    .direction =
        "deal the work out in smaller pieces as threads become free (a shared counter or queue), or divide it by "
        "cost "
        "instead of by count",
    .confirm = "print how much work each thread gets, or give the slowest thread half as much",
};

}  // namespace kymo::findings
