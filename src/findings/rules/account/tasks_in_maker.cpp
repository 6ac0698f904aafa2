// fine-grained-tasks: one thread runs the tasks that it makes, and its team waits.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/alone.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/tasks_at_once.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kSureOfTasks = 0.8;

// Threads of a process that are at a meeting of its team at some time, or work in this code.
double team_of(const Evidence& evidence, std::uint32_t process, const SpaceNode& code) {
    const auto& threads = evidence.run.threads;
    double team = 0;
    for (std::uint32_t i = 0; i < threads.size(); ++i) {
        const bool is_waiting =
            std::any_of(threads[i].waits.begin(), threads[i].waits.end(), [&](const OccurrenceWait& wait) {
                const recording::WaitKind kind = evidence.wait_targets[wait.target].kind;
                return kind == recording::WaitKind::kOmpBarrier || kind == recording::WaitKind::kOmpTasks;
            });
        const bool works = std::binary_search(code.threads.begin(), code.threads.end(), i);
        team += threads[i].process == process && (is_waiting || works) ? 1 : 0;
    }
    return team;
}

void claim_tasks_in_maker(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& code = i.in(evidence.nodes);
        if (task_at_once(evidence, i) != i || task_at_once(evidence, code.parent) != kNone) {
            continue;
        }
        const Alone alone = alone_in(code);
        const std::vector<std::uint32_t> threads = main_threads(alone.times);
        if (!is_mostly_alone(alone) || threads.empty()) {
            continue;
        }
        const double team = team_of(evidence, evidence.run.threads[threads.front()].process, code);
        const double workers = std::min(team, static_cast<double>(evidence.run.processors));
        const double gain = std::min(sum(alone.times) * (1 - 1 / std::max(1.0, workers)), room_ns(evidence));
        if (gain < least_ns(evidence)) {
            continue;
        }
        Claim claim;
        claim.own = {{threads.front(), gain}};
        claim.own_terms = set_of(Term::kUser, Term::kSystem);
        claim.own_sure = kSureOfTasks;
        claim.node = maker_of_task(evidence, i);
        claim.threads = threads;
        claim.title = fmt::format(
            "{} makes tasks that run at once, in the thread that makes them, while {}: {} of the run in all. Shared "
            "among {} threads it would take {} less.",
            name(evidence, claim.node),
            team == 2 ? std::string("its peer waits") : fmt::format("its {} peers wait", team - 1),
            in_seconds(sum(alone.times)), number(workers), in_seconds(gain));
        claim.evidence = {seconds_of("work of one thread alone", sum(alone.times) / 1e9),
                          seconds("in which processors were idle", idle_processor_ns(evidence) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kTasksInMaker{
    .place = 330,
    .kind = "fine-grained-tasks",
    .needs =
        "the code of OpenMP tasks runs inside the function that makes them, for four fifths of its time while no "
        "other "
        "thread is at work; shared among the team it would make the run a tenth shorter",
    .against = "other threads of the team run such tasks meanwhile",
    .look = claim_tasks_in_maker,
    .direction =
        "make fewer and larger tasks (grainsize, num_tasks): GNU OpenMP runs a new one at once, in the thread that "
        "makes it, where more than 64 a thread would wait, and a taskloop of so many whole; or see that the tasks' "
        "if "
        "clause is true",
    .confirm = "set num_tasks to a few times the number of threads: the other threads work as well",
};

}  // namespace kymo::findings
