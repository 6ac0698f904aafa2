// oversubscription: more threads share the work than there are processors, and switching between them costs.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/messages.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kColdSwitchNs = 20'000;  // of one switch, with the caches it leaves cold
constexpr double kLeastMember = 0.25;     // of the mean processor time of a team: a thread with less is not a
                                          // member

bool is_meeting(WaitKind kind) {
    return kind == WaitKind::kBarrier || kind == WaitKind::kOmpBarrier;
}

// A thread with little of the work is not a member.
void keep_members(const Evidence& evidence, std::vector<std::uint32_t>* team) {
    const auto worked = [&](std::uint32_t thread) {
        return static_cast<double>(processor(evidence.run.threads[thread].total));
    };
    double mean = 0;
    for (const std::uint32_t thread : *team) {
        mean += worked(thread) / static_cast<double>(team->size());
    }
    std::erase_if(*team, [&](std::uint32_t thread) { return worked(thread) < kLeastMember * mean; });
}

// The largest set of threads that meet at one barrier and share in the work.
std::vector<std::uint32_t> largest_team(const Evidence& evidence) {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> teams;
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        for (const OccurrenceWait& wait : evidence.run.threads[thread].waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            if (is_meeting(target.kind)) {
                auto& team = teams[{target.process, target.object}];
                if (team.empty() || team.back() != thread) {
                    team.push_back(thread);
                }
            }
        }
    }
    std::vector<std::uint32_t> largest;
    for (auto& [object, team] : teams) {
        keep_members(evidence, &team);
        if (team.size() > largest.size()) {
            largest = team;
        }
    }
    return largest;
}

// They compute: a thread that is mostly in the kernel is woken by input from others, and would be with fewer
// threads, too.
bool is_work(const RunFacts& run, const std::vector<std::uint32_t>& team) {
    std::int64_t user = 0;
    std::int64_t system = 0;
    for (const std::uint32_t thread : team) {
        user += run.threads[thread].total.user;
        system += run.threads[thread].total.system;
    }
    return user >= system;
}

// ns on a processor in calls of MPI.
double polled_by(const Evidence& evidence, const std::vector<std::uint32_t>& team) {
    double ns = 0;
    for (const auto& [thread, inside] : in_messages(evidence)) {
        ns += std::binary_search(team.begin(), team.end(), thread) ? inside : 0;
    }
    return ns;
}

// ns ready without a processor.
double lacked_by(const RunFacts& run, const std::vector<std::uint32_t>& team) {
    double ns = 0;
    for (const std::uint32_t thread : team) {
        ns += static_cast<double>(run.threads[thread].total.run_queue);
    }
    return ns;
}

void claim_oversubscription(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    if (run.processors == 0) {
        return;
    }
    std::vector<std::uint32_t> team = largest_team(evidence);
    if (team.size() <= run.processors && !is_crowded(evidence)) {
        return;
    }
    // The most that switching can cost: the kernel's time and the idle time between, and a constant a switch.
    std::uint64_t switches = 0;
    for (const auto& thread : run.threads) {
        switches += thread.voluntary + thread.involuntary;
    }
    const double lost = static_cast<double>(run.total.system) + idle_processor_ns(evidence);
    const double by_switches = static_cast<double>(switches) * kColdSwitchNs;
    if (team.size() <= run.processors) {
        team.clear();
        for (std::uint32_t thread = 0; thread < run.threads.size(); ++thread) {
            if (run.threads[thread].total.run_queue > 0) {
                team.push_back(thread);
            }
        }
        keep_members(evidence, &team);
        if (!is_work(run, team) && !are_ranks(evidence, team)) {
            return;
        }
    }
    if (team.size() <= run.processors) {
        return;
    }
    const double crowded = crowded_ns(run);
    const bool is_job = are_ranks(evidence, team);
    // Ranks that wait mostly poll, on processors that others of the job lack.
    const double polled =
        is_job ? std::min(polled_by(evidence, team), crowded * static_cast<double>(run.processors)) : 0;
    Claim claim;
    claim.own = {{team.front(), std::max(std::min(lost, by_switches), polled) / static_cast<double>(run.processors)}};
    claim.own_sure = 0.5;  // some of the kernel's time is the program's own calls
    claim.threads = team;
    const double seconds = duration_ns(evidence) / 1e9;
    claim.title = fmt::format(
        "{} threads share the work of {} processors; they were switched {} times a second, and {} of processor time "
        "went to "
        "the kernel and to waiting for one another.",
        team.size(), run.processors, number(static_cast<double>(switches) / seconds), in_seconds(lost));
    claim.evidence = {
        {"threads that share the work", static_cast<double>(team.size()), static_cast<double>(run.processors),
         static_cast<double>(team.size()) / static_cast<double>(run.processors)},
        {"switches a second", static_cast<double>(switches) / seconds},
        findings::seconds("in the kernel", static_cast<double>(run.total.system) / 1e9),
        findings::seconds("with more threads ready than processors", crowded / 1e9)};
    if (is_job) {
        claim.title = fmt::format(
            "{} ranks share {} processors: they were ready without one for {}, and polled in MPI for {}, "
            "added up.",
            team.size(), run.processors, in_seconds(lacked_by(run, team)), in_seconds(polled));
        claim.evidence.push_back(findings::seconds("on a processor in calls of MPI", polled / 1e9));
        claim.direction =
            "start as many ranks as there are processors, or use more hosts; otherwise let ranks that wait give "
            "their "
            "processor away (Open MPI: --mca mpi_yield_when_idle 1)";
        claim.confirm = "run with as many ranks as processors";
    }
    for (const std::uint32_t thread : team) {
        for (const OccurrenceWait& wait : run.threads[thread].waits) {
            if (is_meeting(evidence.wait_targets[wait.target].kind)) {
                claim.targets.push_back(wait.target);
            }
        }
    }
    std::sort(claim.targets.begin(), claim.targets.end());
    claim.targets.erase(std::unique(claim.targets.begin(), claim.targets.end()), claim.targets.end());
    // The program as a whole: the start function of the team's members identifies the threads.
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        if (std::includes(node.threads.begin(), node.threads.end(), team.begin(), team.end()) &&
            !is_library(node.place) && node.place.function != "main") {
            claim.node = i;
            break;
        }
    }
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kOversubscription{
    .place = 60,
    .kind = "oversubscription",
    .contrast = Contrast::kRun,
    .needs =
        "more threads than processors meet at one barrier and have equal parts in the work, or more threads than "
        "processors "
        "are ready to run for a fifth of the run",
    .against =
        "switches, and the kernel's and idle time that they cause, are few: then the threads do not hinder each "
        "other",
    .look = claim_oversubscription,
    .direction = "start as many threads as there are processors (OMP_NUM_THREADS, the size of the pool)",
    .confirm = "run with as many threads as processors",
};

}  // namespace kymo::findings
