// cold-start: the first occurrence is slow: it fills memory, caches, files, connections that later ones find ready.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/more_inside.h"
#include "findings/rules/shared/other_ends.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kMoreColdFaults = 3;
constexpr std::uint64_t kRepeated = 10;  // occurrences of a neighbour from which on the level counts as repeated

constexpr double kColdFaultNs = 20'000;  // of a fault that finds its page in memory, on a slow virtual machine
constexpr double kLeastInFaults = 0.5;   // share of faults in the time of code that is reported for them
constexpr double kLeastStart = 0.05;     // of the run: every program has to begin

// A thread that waits first for another one, a child or a clock prepares nothing: it is ready before they are.
bool waits_for_others(const Case& subject) {
    using recording::WaitKind;
    const std::int64_t waited = excess_waiting(subject, [&](const WaitTarget& target) {
        return is_synchronisation(target.kind) || target.kind == WaitKind::kChild ||
               target.kind == WaitKind::kSleep || is_within_run(*subject.evidence, target);
    });
    return waited * 2 > subject.excess.total();
}

// Slow occurrences that are the first of their threads.
void claim_cold_start_of_occurrences(const Case& subject, std::vector<Claim>* claims) {
    const std::size_t threads = threads_of(subject.space().rows);
    if (!are_first_of_threads(subject) || subject.bad.count * 2 > subject.bad.count + subject.good.count ||
        most_lacking_share(subject) > 0.5 || is_negligible(subject) || has_more_inside(subject) ||
        did_more_work(subject) || waits_for_workers(subject) || waits_for_others(subject) ||
        (may_merge(*subject.evidence, subject.node) && subject.excess_share(set_of(Term::kWaiting)) < 0.5) ||
        std::all_of(subject.threads.begin(), subject.threads.end(),
                    [&](std::uint32_t thread) { return waits_for_work(*subject.evidence, thread); })) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = kAllTerms & ~set_of(Term::kRunQueue)};
    claim.title = fmt::format("The first occurrence of {} {}takes {} longer than the later ones ({} against {}).",
                              name(*subject.evidence, subject.node), threads > 1 ? "in each thread " : "",
                              times(subject.bad.median_ns / subject.good.median_ns),
                              in_seconds(subject.bad.median_ns), in_seconds(subject.good.median_ns));
    if (const std::string account = account_words(subject); !account.empty()) {
        claim.title += " " + account + ".";
    }
    claims->push_back(std::move(claim));
}

// Nearly all of a loop's code: visited once, it runs over and over.
bool is_body_of_loop(const Evidence& evidence, NodeIndex node) {
    const std::int64_t wall = node.in(evidence.nodes).total.wall();
    for (NodeIndex at = node.in(evidence.nodes).parent; at != kNone; at = at.in(evidence.nodes).parent) {
        const SpaceNode& around = at.in(evidence.nodes);
        if (wall * 5 < around.total.wall() * 4) {
            return false;
        }
        if (around.kind == SpaceKind::kLoop || around.kind == SpaceKind::kLoopNest) {
            return true;
        }
    }
    return false;
}

// Code that runs once, early, among code that runs over and over, with far more page faults than that.
void claim_cold_start_of_spaces(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const SpaceNode& node = subject.space();
    const CounterIndex faults = counter(evidence, "page-faults");
    if (node.parent == kNone || faults == kNone || node.occurrences == 0 || node.occurrences > node.threads.size() ||
        node.rows.size() != node.occurrences || is_library(node.place) || is_body_of_loop(evidence, subject.node)) {
        return;
    }
    // The first of many calls of a function is a start, whatever it costs, unless it is nearly all that the
    // function does; beside other code it may be a step of its own, unless its faults show otherwise.
    const SpaceNode& caller = node.parent.in(evidence.nodes);
    const bool is_of_first_call =
        caller.occurrences >= kRepeated * node.occurrences && node.total.wall() * 5 <= caller.total.wall() * 4;
    bool is_repeated = node.parent.in(evidence.nodes).occurrences >= kRepeated;
    for (const SpaceNode& other : evidence.nodes) {
        is_repeated =
            is_repeated || (other.parent == node.parent && other.occurrences >= kRepeated * node.occurrences);
    }
    // Or it is in a loop whose rounds continue without it.
    for (NodeIndex around = node.parent; around != kNone; around = around.in(evidence.nodes).parent) {
        const SpaceNode& loop = around.in(evidence.nodes);
        is_repeated = is_repeated || ((loop.kind == SpaceKind::kLoop || loop.kind == SpaceKind::kLoopNest) &&
                                      loop.total.wall() >= 2 * node.total.wall());
    }
    const auto time = static_cast<double>(processor(subject.bad.terms));
    const auto rest_time = static_cast<double>(processor(subject.good.terms));
    const double rate = time > 0 ? static_cast<double>(faults.in(node.deltas)) / time : 0;
    const double rest = rest_time > 0 ? static_cast<double>(faults.in(subject.good.deltas)) / rest_time : 0;
    // Early: in the first fifth of its thread, itself not counted; and the thread does more than this, because a
    // thread's main work is not a start.
    const auto is_early = [&](std::size_t row) {
        const ThreadFacts& thread = evidence.run.threads[node.rows.thread[row]];
        const std::uint64_t life = thread.end - thread.begin;
        const std::uint64_t others = life - std::min(life, node.rows.duration(row));
        return others * 5 >= life &&
               node.rows.begin[row] - std::min(node.rows.begin[row], thread.begin) <= others / 5;
    };
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        if (!is_early(row)) {
            return;
        }
    }
    if (!is_repeated || rate <= 0 || rate < kMoreColdFaults * rest ||
        (!is_of_first_call && rate < kLeastInFaults / kColdFaultNs)) {
        return;
    }
    Claim claim;
    claim.own = by_thread(node, [](const TimeTerms& terms) { return terms.wall() - terms.run_queue; });
    claim.own_terms = set_of(Term::kUser, Term::kSystem);
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        claim.when.push_back({node.rows.begin[row], node.rows.end[row]});
    }
    double all = 0;
    double most = 0;
    for (const ThreadTime& own : claim.own) {
        all += own.ns;
        most = std::max(most, own.ns);
    }
    if (most < kLeastStart * duration_ns(evidence)) {
        return;
    }
    const std::string where = mostly_at(node, faults);
    claim.title = fmt::format(
        "{} runs {} at the beginning, for {}, and takes {} page faults{}, while what surrounds it runs "
        "over and over.",
        name(evidence, subject.node), node.occurrences == 1 ? "once" : "once in each thread", in_seconds(all),
        number(static_cast<double>(faults.in(node.deltas))), where.empty() ? "" : ", " + where);
    claim.evidence.push_back({"page-faults a second of processor time", rate * 1e9, rest * 1e9,
                              rest > 0 ? rate / rest : kUnknown, kUnknown, kUnknown});
    claims->push_back(std::move(claim));
}

constexpr std::string_view kColdStartDirection =
    "prepare less (only what is used), prepare it in parallel or while something else runs, or keep it between runs";
constexpr std::string_view kColdStartConfirm =
    "run the first occurrence twice in a row: if the second one is fast, the first paid for preparation";

}  // namespace

extern const Rule kColdStartOfOccurrences{
    .place = 140,
    .kind = "cold-start",
    .contrast = Contrast::kOccurrences,
    .needs =
        "at least four fifths of the slow occurrences are the first of their threads, and at least half of the "
        "threads have one",
    .against =
        "more than half of the excess is waiting for a processor, or for threads that lacked one, or may be time "
        "that "
        "something the kernel does not account for took the processor (ticks came late); or there are too few to be "
        "tested, and they "
        "cost less "
        "than a fiftieth of the run; or the first holds as many more rounds or calls as it takes longer, or did more "
        "work as far as that was measured: then it had more to do, or is several that look like one; or the threads "
        "wait for work; or most of the excess is waiting for other threads, a child or a clock",
    .look = claim_cold_start_of_occurrences,
    .direction = kColdStartDirection,
    .confirm = kColdStartConfirm,
};

extern const Rule kColdStartOfSpace{
    .place = 150,
    .kind = "cold-start",
    .contrast = Contrast::kSpace,
    .needs =
        "the code runs once a thread, in its first fifth, inside or beside code that runs ten times or more (or in a "
        "loop that goes on without it), takes a fiftieth of the run and three times as many page faults by processor "
        "time as the rest of the program; where it is no function's first call of many, so many that they may be "
        "half "
        "of its time (20 µs each)",
    .against = "it runs again, or is what a loop does in each of its rounds; or it is a library's",
    .look = claim_cold_start_of_spaces,
    .direction = kColdStartDirection,
    .confirm = kColdStartConfirm,
};

}  // namespace kymo::findings
