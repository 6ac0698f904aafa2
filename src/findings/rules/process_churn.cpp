// process-churn: processes are started and waited for that live for some milliseconds each.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/short_children.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kMakingNs = 300e3;      // at least so much, for a process made, loaded, ended and waited for
constexpr double kMostStartingNs = 1e6;  // at most so much of it in the kernel, on its parent's account

std::string usual_name(const ShortChildren& children) {
    const auto most = std::max_element(children.names.begin(), children.names.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == children.names.end() || most->first.empty() ? "" : fmt::format(" (mostly {})", most->first);
}

// Adds what the kernel does in the code that starts and awaits them, as far as it can be for them.
void add_starting(const Evidence& evidence, std::uint32_t node, double most, ByThread* lost) {
    const std::vector<ThreadTime> system =
        by_thread(evidence.nodes[node], [](const TimeTerms& terms) { return terms.system; });
    for (const ThreadTime& part : at_most(to_map(system), most)) {
        if (lost->contains(part.thread)) {
            (*lost)[part.thread] += part.ns;
        }
    }
}

void claim_process_churn(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    for (const auto& [parent, children] : short_children(evidence.run)) {
        const WaitsByTarget waits = waits_for(evidence, parent, children);
        if (waits.empty()) {
            continue;
        }
        const auto count = static_cast<double>(children.count);
        ByThread lost;
        std::map<std::uint32_t, double> by_target;
        for (const auto& [key, ns] : waits) {
            lost[key.first] += ns;
            by_target[key.second] += ns;
        }
        const double waited = sum(lost);
        for (auto& [thread, ns] : lost) {
            ns *= std::max(0.0, 1 - children.user / std::max(1.0, waited));
        }
        const auto most = std::max_element(by_target.begin(), by_target.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        const WaitPlace& place = evidence.wait_targets[most->first].place;
        Claim claim;
        claim.node = node_of(evidence, place);
        if (claim.node != kNoNode) {
            add_starting(evidence, claim.node, kMostStartingNs * count, &lost);
        }
        const double all = sum(lost);
        if (all <= 0) {
            continue;
        }
        claim.own = at_most(lost, all);
        claim.own_sure = std::clamp(kMakingNs * count / std::max(1.0, all), 0.5, 1.0);
        claim.own_terms = set_of(Term::kWaiting, Term::kSystem);
        for (const auto& [target, ns] : by_target) {
            claim.targets.push_back(target);
        }
        claim.place = to_place(place);
        claim.threads = main_threads(lost);
        claim.when = {{children.begin, children.end}};
        claim.title = fmt::format(
            "{} starts {} processes{} and waits for them in {} for {} each, in which they compute for {}: making, "
            "loading and ending them takes {} of the run.",
            thread_name(evidence, lost.begin()->first), number(count), usual_name(children), name(*claim.place),
            in_seconds(waited / count), in_seconds(children.user / count), in_seconds(all));
        claim.evidence = {{"processes", count},
                          {"seconds waited for one", waited / count / 1e9},
                          {"seconds computed by one", children.user / count / 1e9}};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kProcessChurn{
    .place = 52,
    .kind = "process-churn",
    .contrast = Contrast::kRun,
    .needs =
        "one process starts twenty others and more that live for thirty milliseconds at most, and waits for their "
        "ends, "
        "or for what they write",
    .against = "what they compute themselves is left out",
    .look = claim_process_churn,
    .direction =
        "do the work in the process itself, by a library or a built-in command; or give one process many jobs (one "
        "long-lived helper, many arguments a call)",
    .confirm = "give each process two jobs: the time waited for them falls by almost half",
};

}  // namespace kymo::findings
