// process-churn: processes are started and waited for that live for some milliseconds each.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/short_children.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kMakingProcessNs = 300e3;  // at least, for a process made, loaded, ended and waited for
constexpr double kMostLaunchNs = 10e6;      // likewise where nothing is seen but the call that starts it
constexpr double kMostStartingNs = 1e6;     // at most, in the kernel, on its parent's account

std::string usual_name(const ShortChildren& children) {
    const auto most = std::max_element(children.names.begin(), children.names.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == children.names.end() || most->first.empty() ? "" : fmt::format(" (mostly {})", most->first);
}

// Adds the kernel's time in the code that starts and awaits them, as far as it can be for them.
void add_starting(const Evidence& evidence, NodeIndex node, double most, ByThread* lost) {
    const std::vector<ThreadTime> system =
        by_thread(node.in(evidence.nodes), [](const TimeTerms& terms) { return terms.system; });
    for (const ThreadTime& part : at_most(to_map(system), most)) {
        if (lost->contains(part.thread)) {
            (*lost)[part.thread] += part.ns;
        }
    }
}

bool starts_processes(const Place& place) {
    static constexpr std::array<std::string_view, 11> kNames = {"fork",   "vfork",   "_Fork",       "arch_fork",
                                                                "clone",  "clone3",  "posix_spawn", "posix_spawnp",
                                                                "spawni", "spawnix", "libc_fork"};
    return is_library(place) && std::find(kNames.begin(), kNames.end(), call_name(place.function)) != kNames.end();
}

// Time of the parent's threads in the C library's calls that start processes: until a child of vfork() releases
// them, or for copying its tables. *place: the program's own code that calls them most.
ByThread starting_them(const Evidence& evidence, std::uint32_t parent, NodeIndex* place) {
    ByThread spent;
    std::map<NodeIndex, double> callers;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const NodeIndex caller = starts_processes(node.place) ? own_code(evidence, i) : NodeIndex();
        if (caller == kNone || (node.parent != kNone && starts_processes(node.parent.in(evidence.nodes).place))) {
            continue;
        }
        for (const ThreadTime& part :
             by_thread(node, [](const TimeTerms& terms) { return terms.wall() - terms.run_queue; })) {
            if (evidence.run.threads[part.thread].process == parent) {
                spent[part.thread] += part.ns;
                callers[caller] += part.ns;
            }
        }
    }
    const auto most = std::max_element(callers.begin(), callers.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    *place = most == callers.end() ? NodeIndex() : most->first;
    return spent;
}

void claim_starting(const Evidence& evidence, const ShortChildren& children, const ByThread& spent, NodeIndex place,
                    std::vector<Claim>* claims) {
    Claim claim;
    claim.node = place;
    const auto count = static_cast<double>(children.count);
    claim.own = at_most(spent, kMostLaunchNs * count);
    claim.own_sure = 0.8;
    claim.own_terms = set_of(Term::kWaiting, Term::kSystem);
    claim.threads = main_threads(spent);
    claim.when = {{children.begin, children.end}};
    claim.title = fmt::format("{} starts {} processes{} in {}, {} each: that takes {} of the run.",
                              thread_names(evidence, claim.threads), number(count), usual_name(children),
                              name(evidence, claim.node), in_seconds(sum(spent) / count), in_seconds(sum(spent)));
    claim.evidence = {{"processes", count}, seconds("computed by one", children.user / count / 1e9)};
    claims->push_back(std::move(claim));
}

void claim_process_churn(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    for (const auto& [parent, children] : short_children(evidence.run)) {
        const WaitsByTarget waits = waits_for(evidence, parent, children);
        double awaited = 0;
        for (const auto& [key, ns] : waits) {
            awaited += ns;
        }
        NodeIndex starter;
        const ByThread starting = starting_them(evidence, parent, &starter);
        if (starter != kNone && sum(starting) > awaited) {  // hardly waited for
            claim_starting(evidence, children, starting, starter, claims);
            continue;
        }
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
        const program::SourcePlace& place = evidence.wait_targets[most->first].place;
        Claim claim;
        claim.node = node_of(evidence, place);
        if (claim.node != kNone) {
            add_starting(evidence, claim.node, kMostStartingNs * count, &lost);
        }
        const double all = sum(lost);
        if (all <= 0) {
            continue;
        }
        claim.own = at_most(lost, all);
        claim.own_sure = std::clamp(kMakingProcessNs * count / std::max(1.0, all), 0.5, 1.0);
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
                          seconds("waited for one", waited / count / 1e9),
                          seconds("computed by one", children.user / count / 1e9)};
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
        "or for what they write, or spends its time in the calls that start them",
    .against = "what they compute themselves is left out",
    .look = claim_process_churn,
    .direction =
        "do the work in the process itself, by a library or a built-in command; or give one process many jobs (one "
        "long-lived helper, many arguments a call)",
    .confirm = "give each process two jobs: the time waited for them falls by almost half",
};

}  // namespace kymo::findings
