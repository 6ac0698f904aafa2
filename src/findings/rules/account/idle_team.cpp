// load-imbalance of an OpenMP team in which one thread works at a time.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/tasks_at_once.h"
#include "findings/words.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kNearlyAll = 0.9;  // of the time that the others would wait while one works
constexpr double kSureOfTeam = 0.8;

bool is_team_wait(const AccountRow& row) {
    return (row.time_class == TimeClass::kBarrierWait || row.time_class == TimeClass::kSpinning) &&
           row.detail.starts_with("omp ");
}

// ns that the process's threads work, polling left out.
double work_of(const Evidence& evidence, std::uint32_t process) {
    double ns = 0;
    for (const AccountRow& row : evidence.account.rows) {
        if (!is_processor_time(row) || row.time_class == TimeClass::kSpinning) {
            continue;
        }
        for (const AccountTime& part : row.threads) {
            ns += evidence.run.threads[part.thread].process == process ? static_cast<double>(part.ns) : 0;
        }
    }
    return ns;
}

// ns of work in tasks that run inside the functions that make them: that is what the others wait for.
double in_makers(const Evidence& evidence) {
    double ns = 0;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const bool is_outermost =
            task_at_once(evidence, i) == i && task_at_once(evidence, i.in(evidence.nodes).parent) == kNone;
        ns += is_outermost ? static_cast<double>(processor(i.in(evidence.nodes).total)) : 0;
    }
    return ns;
}

void claim_idle_team(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const double of_tasks = in_makers(evidence);
    for (const AccountSums& own : sums_by_function(evidence.account, is_team_wait)) {
        const double work = work_of(evidence, evidence.run.threads[own.threads.begin()->first].process);
        const auto others = static_cast<double>(own.threads.size()) - 1;
        const auto at_once = std::min(others + 1, static_cast<double>(evidence.run.processors));
        const auto waited = static_cast<double>(own.ns);
        // Where one works and the others wait, they wait as long as it works, each.
        if (at_once < 2 || waited < kNearlyAll * others * work || of_tasks * 2 >= work) {
            continue;
        }
        const double shorter = std::min(waited / others, work) * (1 - 1 / at_once);
        if (shorter < least_ns(evidence)) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kSpinning, Term::kWaiting, Term::kOther));
        claim.own_sure = kSureOfTeam;
        claim.shorter_ns = shorter;
        claim.title = fmt::format(
            "{} threads meet in the parallel regions of {}, and one at a time works: they wait for {}, and work for "
            "{}, added up.",
            number(others + 1), name(*claim.place), in_seconds(waited), in_seconds(work));
        claim.evidence = {seconds_of("waiting for the one that works", waited / 1e9),
                          seconds_of("work of all threads", work / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kIdleTeam{
    .place = 322,
    .kind = "load-imbalance",
    .needs =
        "the threads of an OpenMP team wait for as long as if one of them worked at a time; shared, its work would "
        "make the run a tenth shorter",
    .against =
        "the others work as well, there or elsewhere; half of the work is in tasks that run inside the functions "
        "that "
        "make them, which have a finding of their own",
    .look = claim_idle_team,
    .direction =
        "share the work among the team (omp for); with tasks, make fewer and larger ones (grainsize, num_tasks): "
        "where "
        "many wait already, the run time executes a new one at once, in the thread that makes it",
    .confirm = "run with OMP_NUM_THREADS=1: it takes no longer",
};

}  // namespace kymo::findings
