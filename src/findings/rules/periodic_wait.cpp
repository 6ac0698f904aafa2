// periodic-pause: a thread waits at one place in every k-th round of the enclosing node.
//
// Found by the positions of the waits, which are known exactly, so that it is found however noisy the rounds are.
#include "findings/rule.h"
#include "findings/rules/periodic_pause.h"
#include "findings/rules/shared/other_ends.h"
#include "findings/rules/shared/spare.h"
#include "findings/statistics/robust.h"
#include "findings/words.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kMostUneven = 0.2;       // of the usual distance: four fifths of a beat are kept
constexpr double kMostOfLife = 0.5;       // a thread that waits there for longer is paced by it
constexpr double kLeastOthersPart = 0.1;  // of the waits: others' waits in the same time are reported from here on

// Only the wait is left of a thread's time: a clock that paces it, or work that it waits for.
bool is_paced(const Evidence& evidence, const ByThread& waited) {
    return std::all_of(waited.begin(), waited.end(), [&](const auto& own) {
        const ThreadFacts& thread = evidence.run.threads[own.first];
        return waits_for_work(evidence, own.first) ||
               own.second > kMostOfLife * static_cast<double>(thread.end - thread.begin);
    });
}

// Threads that wait for one that is at this place meanwhile. ns.
std::int64_t others_wait(const Evidence& evidence, const program::SourcePlace& place,
                         const std::vector<std::uint32_t>& threads) {
    std::int64_t ns = 0;
    for (std::size_t i = 0; i < evidence.wait_targets.size() && i < evidence.wait_sums.size(); ++i) {
        const std::uint32_t holder = evidence.wait_targets[i].holder;
        const bool is_theirs = std::find(threads.begin(), threads.end(), holder) != threads.end();
        ns += is_theirs && evidence.wait_sums[i].holder_place == place ? evidence.wait_sums[i].ns : 0;
    }
    return ns;
}

double usual_period(const std::vector<WaitReturn>& returns) {
    std::vector<double> periods;
    for (std::size_t i = 1; i < returns.size(); ++i) {
        if (returns[i].thread == returns[i - 1].thread) {
            periods.push_back(static_cast<double>(returns[i].begin - returns[i - 1].begin));
        }
    }
    return median(periods);
}

void claim_periodic_wait(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const Feature* unevenness = subject.feature(kUnevenness);
    if (unevenness == nullptr || subject.every == 0 || unevenness->bad > kMostUneven) {
        return;
    }
    const WaitTarget& target = evidence.wait_targets[subject.targets.front()];
    if (is_within_run(evidence, target)) {
        return;  // a pipe fills up after a number of rounds: its reader is slower
    }
    ByThread waited;
    std::vector<double> lengths;
    Claim claim;
    for (const WaitReturn& wait : subject.returns) {
        waited[wait.thread] += static_cast<double>(wait.ns);
        lengths.push_back(static_cast<double>(wait.ns));
    }
    if (is_paced(evidence, waited)) {
        return;
    }
    claim.own = at_most(waited, spare_ns(evidence));
    claim.own_parts = lengths;
    claim.own_terms = set_of(Term::kWaiting);
    claim.threads = subject.threads;
    claim.targets = subject.targets;
    claim.node = node_of(evidence, target.place);
    claim.is_part = claim.node == kNone;
    if (claim.is_part) {
        claim.node = subject.space().parent;
    }
    claim.place = to_place(target.place);
    claim.feature = kUnevenness;
    // Rounds of a loop are reported of the loop.
    const bool are_rounds = subject.space().kind == SpaceKind::kIteration && subject.space().parent != kNone;
    const NodeIndex counted = are_rounds ? subject.space().parent : subject.node;
    claim.title = fmt::format("Every {} {} of {} (about every {}) {} {} in {} ({}) for {}: {} in all.", subject.every,
                              are_rounds ? "rounds" : "occurrences", name(evidence, counted),
                              in_seconds(usual_period(subject.returns)), thread_names(evidence, subject.threads),
                              does(subject.threads, "wait"), name(*claim.place), wait_kind_words(target.kind),
                              in_seconds(median(lengths)), in_seconds(sum(waited)));
    const auto meanwhile = static_cast<double>(others_wait(evidence, target.place, subject.threads));
    if (meanwhile >= kLeastOthersPart * sum(waited)) {
        claim.title += fmt::format(" Other threads wait for it for {} meanwhile.", in_seconds(meanwhile));
    }
    claim.evidence = {{"pauses", static_cast<double>(subject.returns.size())},
                      seconds("in a pause", median(lengths) / 1e9)};
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kPeriodicPauseOfWaits{
    .place = 160,
    .kind = "periodic-pause",
    .contrast = Contrast::kReturns,
    .needs =
        "a thread sleeps, transfers data or waits for a child at one place, three times and more, in at most a third "
        "of the rounds around it, and always after about as many of them (the distances are a fifth off on average "
        "at "
        "most, and chance is not as even)",
    .against =
        "the thread is there for half of its life, or in reads, polls and sleep for nine tenths of it: it is paced "
        "by that, or waits for work; or a pipe to another process of the run is full or empty then",
    .look = claim_periodic_wait,
    .direction = kPauseDirection,
    .confirm = kPauseConfirm,
};

}  // namespace kymo::findings
