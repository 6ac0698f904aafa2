// busy-wait: a thread polls memory until it may continue, and keeps a processor from other threads meanwhile.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kOnlyWaits = 0.9;  // of its processor time: the thread has nothing else to do
constexpr double kMuch = 0.05;  // of the processor time of those that poll; run times poll a little before they sleep

// Such a run time polls where the program's threads meet, for a moment before they sleep: the time lost there
// would be lost in any wait, and load-imbalance reports which thread is late.
bool is_openmp_runtime(const Place& place) {
    return place.module.starts_with("libgomp") || place.module.starts_with("libomp") ||
           place.module.starts_with("libiomp5");
}

void claim_busy_wait(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        if (!node.polls || (node.parent != kNone && node.parent.in(evidence.nodes).polls)) {
            continue;
        }
        const ByThread spent = to_map(by_thread(node, [](const TimeTerms& terms) { return terms.user; }));
        const double all = sum(spent);
        double at_work = 0;
        for (const auto& [thread, ns] : spent) {
            at_work += static_cast<double>(processor(evidence.run.threads[thread].total));
        }
        if (all < kMuch * at_work) {
            continue;
        }
        ByThread lost;
        // Others that were ready meanwhile and found no processor: no longer than the polling took.
        double queued = 0;
        for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
            if (!spent.contains(thread)) {
                const auto ready = static_cast<double>(evidence.run.threads[thread].total.run_queue);
                lost[thread] = std::min(ready, all);
                queued += ready;
            }
        }
        // Nor longer than the program itself had more threads ready than there are processors: other programs cause
        // the rest.
        const bool is_known = !evidence.run.ready_ns.empty() && evidence.run.processors != 0;
        const double kept = std::min(all, is_known ? own_queue_ns(evidence.run) : all);
        for (auto& [thread, ns] : lost) {
            ns *= queued > kept ? kept / queued : 1;
        }
        queued = std::min(queued, kept);
        // A thread that has other work loses what it polls away itself, as it would in a wait.
        for (const auto& [thread, ns] : spent) {
            const bool has_work =
                ns < kOnlyWaits * static_cast<double>(processor(evidence.run.threads[thread].total));
            lost[thread] = has_work && !is_openmp_runtime(node.place) ? ns : 0;
        }
        Claim claim;
        claim.own = at_most(lost, duration_ns(evidence));
        claim.own_terms = set_of(Term::kUser, Term::kRunQueue);
        claim.node = i;
        claim.threads = main_threads(spent);
        claim.title = fmt::format(
            "{} {} memory in {} for {} and {} nothing by it{}.", thread_names(evidence, claim.threads),
            does(claim.threads, "poll"), name(evidence, i), in_seconds(all), does(claim.threads, "change"),
            queued > 0
                ? fmt::format("; other threads were ready for {} meanwhile without a processor", in_seconds(queued))
                : "");
        claim.evidence = {seconds("polling", all / 1e9), seconds("that others waited for a processor", queued / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kBusyWait{
    .place = 70,
    .kind = "busy-wait",
    .contrast = Contrast::kRun,
    .needs =
        "a loop whose code changes nothing: no store, no call, nothing carried from one round to the next; a "
        "twentieth "
        "of the processor time of the threads in it",
    .against =
        "the thread does nothing else, or OpenMP's run time polls for it, and no other thread is kept from a "
        "processor: "
        "then polling costs no time",
    .look = claim_busy_wait,
    .direction =
        "sleep until there is something to do: a condition variable, a semaphore, std::atomic::wait, or poll a few "
        "times and then sleep",
    .confirm =
        "put sched_yield() into the loop: if the run becomes shorter, the polling took processor time from others",
};

}  // namespace kymo::findings
