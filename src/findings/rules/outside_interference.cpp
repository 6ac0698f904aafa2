// outside-interference: the machine was not the program's alone.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastOfRun = 0.05;                   // smaller is the ordinary life of a machine
constexpr std::uint64_t kLeastOccurrence = 5'000'000;  // ns

// Occurrences that were kept from a processor for a third of their time or more.
std::vector<TimeRange> times_of(const Evidence& evidence) {
    std::vector<TimeRange> times;
    for (const SpaceNode& node : evidence.nodes) {
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            const TimeTerms& terms = node.rows.terms[row];
            if (node.rows.duration(row) >= kLeastOccurrence &&
                (terms.run_queue + node.rows.taken[row]) * 3 >= terms.wall()) {
                times.push_back({node.rows.begin[row], node.rows.end[row]});
            }
        }
    }
    std::sort(times.begin(), times.end(), [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::vector<TimeRange> joined;
    for (const TimeRange& time : times) {
        if (!joined.empty() && time.begin <= joined.back().end) {
            joined.back().end = std::max(joined.back().end, time.end);
        } else {
            joined.push_back(time);
        }
    }
    return joined;
}

void claim_outside_interference(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    const auto queued = static_cast<double>(run.total.run_queue);
    const auto wall = static_cast<double>(run.end - run.begin);
    if (run.processors == 0 || wall <= 0) {
        return;
    }
    // Threads held on one processor wait for each other: that is thread-migration's to tell.
    const double outside = std::max(0.0, queued - own_queue_ns(run));
    const double part = queued > 0 && outside >= 0.5 * queued ? outside / queued : 0;
    Claim claim;
    double most = 0;
    double taken = 0;
    for (const ThreadFacts& thread : run.threads) {
        taken += static_cast<double>(thread.taken);
    }
    // A few late ticks are the ordinary life of a machine.
    const bool is_taken = taken >= kLeastOfRun * wall;
    for (std::uint32_t thread = 0; thread < run.threads.size(); ++thread) {
        const double unsaid = is_taken ? static_cast<double>(run.threads[thread].taken) : 0;
        const double ns = static_cast<double>(run.threads[thread].total.run_queue) * part + unsaid;
        if (ns > 0) {
            claim.own.push_back({thread, ns});
            most = std::max(most, ns);
            if (ns >= 0.01 * wall) {
                claim.threads.push_back(thread);
            }
        }
    }
    if (most < kLeastOfRun * wall) {
        return;
    }
    claim.own_sure = 0.9;
    claim.own_terms = part > 0 ? set_of(Term::kRunQueue) : set_of(Term::kUser, Term::kSystem);
    claim.when = times_of(evidence);
    claim.place = Place{};
    std::vector<std::string> said;
    if (part > 0) {
        said.push_back(
            fmt::format("the program's threads were ready for {} without getting a processor, though it had no more "
                        "of them ready "
                        "than there are processors ({})",
                        in_seconds(outside), run.processors));
        claim.evidence.push_back({"seconds ready without a processor", queued / 1e9, own_queue_ns(run) / 1e9,
                                  kUnknown, kUnknown, kUnknown});
    }
    if (run.steal_ns.value_or(0) > 0) {
        said.push_back(
            fmt::format("the host took {} from the processors", in_seconds(static_cast<double>(*run.steal_ns))));
    }
    if (is_taken) {
        said.push_back(fmt::format(
            "for about {} something that the kernel does not account for took processors (timer ticks came late)",
            in_seconds(taken)));
        claim.evidence.push_back({"seconds that late ticks stand for", taken / 1e9});
    }
    claim.title = fmt::format("The machine was busy with something else: {}.", fmt::join(said, "; "));
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kOutsideInterference{
    .place = 240,
    .kind = "outside-interference",
    .contrast = Contrast::kRun,
    .needs =
        "for at least 5 % of the run some thread was ready without a processor, where at least half of all such time "
        "is not explained by the program having more threads ready than there are processors, or something the "
        "kernel does not account for took its processor: ticks of its own clock came late",
    .against =
        "threads that are held on one processor (thread-migration), more threads than processors (oversubscription)",
    .look = claim_outside_interference,
    .direction =
        "measure on a quiet machine, or reserve processors for the program; this says nothing about its code",
    .confirm =
        "look at the load at the times listed (top, /proc/loadavg, kymo doctor) and record again when it is quiet",
    .is_others_doing = true,
};

}  // namespace kymo::findings
