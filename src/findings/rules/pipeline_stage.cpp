// pipeline-stage: one thread works all the time, and those that hand work to it or take work from it wait for it.
#include "findings/rule.h"
#include "findings/rules/shared/pipes.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kAlwaysBusy = 0.9;     // of its life
constexpr double kLeastLife = 0.3;      // of the run
constexpr double kLeastWaited = 0.3;    // of a neighbour's life, for this stage
constexpr double kLeastOwnWork = 0.15;  // of the stage's work: less is a helper's, that is called at times
constexpr double kLeastOfFlow = 0.05;   // likewise, of one that waits as often as this:
constexpr std::uint64_t kManyWaits = 200;
constexpr double kLeastOfProcess = 0.03;   // likewise, of another process: a pipe is made for a flow of work
constexpr std::uint64_t kLeastWaits = 10;  // fewer do not form a flow of work
constexpr double kMostOfWork = 0.5;
constexpr double kLeastGain = 0.05;   // of the run
constexpr double kSureOfStage = 0.8;  // how well a stage's work can be shared is not known

double life_ns(const ThreadFacts& thread) {
    return static_cast<double>(thread.end - std::min(thread.begin, thread.end));
}

double work_ns(const ThreadFacts& thread) {
    return static_cast<double>(processor(thread.total));
}

// The kinds of waits by which threads hand over work: another thread wakes the one that waits. The cause of the
// wait is then known.
bool hands_over(WaitKind kind) {
    return kind == WaitKind::kCondition || kind == WaitKind::kSemaphore || kind == WaitKind::kFutex;
}

double work_in(const SpaceNode& node, std::uint32_t thread) {
    return static_cast<double>(node.work_of(thread).all());
}

// The smallest function of the program's own that holds most of a thread's work.
NodeIndex main_code(const Evidence& evidence, std::uint32_t thread) {
    NodeIndex best;
    const double all = work_ns(evidence.run.threads[thread]);
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        if (node.kind == SpaceKind::kFunction && !is_library(node.place) && !node.place.function.empty() &&
            work_in(node, thread) >= kMostOfWork * all &&
            (best == kNone || node.depth >= best.in(evidence.nodes).depth)) {
            best = i;
        }
    }
    return best;
}

// Processes hand over work by pipes, whose other end is not known: the wait is for the stage if that is the only
// thread of the run that is always busy.
bool is_handed_over(const Evidence& evidence, const WaitTarget& target, std::uint32_t stage, bool is_only_busy_one) {
    const bool is_pipe = target.kind == WaitKind::kRead || target.kind == WaitKind::kWrite;
    return is_pipe ? is_only_busy_one && target.process != evidence.run.threads[stage].process &&
                         is_pipe_within_run(evidence, target)
                   : hands_over(target.kind) && target.holder == stage;
}

struct Neighbour {
    std::uint32_t thread = 0;
    double waited = 0;  // ns, for the stage
    std::vector<std::uint32_t> targets;
};

std::optional<Neighbour> neighbour_of(const Evidence& evidence, std::uint32_t stage, NodeIndex code,
                                      std::uint32_t thread, bool is_only_busy_one) {
    const ThreadFacts& facts = evidence.run.threads[thread];
    Neighbour neighbour;
    neighbour.thread = thread;
    std::uint64_t count = 0;
    for (const auto* const waits : {&facts.waits, &facts.polled}) {
        for (const OccurrenceWait& wait : *waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            if (is_handed_over(evidence, target, stage, is_only_busy_one)) {
                neighbour.waited += static_cast<double>(wait.ns);
                neighbour.targets.push_back(wait.target);
                count += wait.target < evidence.wait_sums.size() ? evidence.wait_sums[wait.target].count : 0;
            }
        }
    }
    const bool does_the_same = work_in(code.in(evidence.nodes), thread) >= kMostOfWork * work_ns(facts);
    const double least = facts.process != evidence.run.threads[stage].process ? kLeastOfProcess
                         : count >= kManyWaits                                ? kLeastOfFlow
                                                                              : kLeastOwnWork;
    const bool is_one = neighbour.waited >= kLeastWaited * life_ns(facts) && count >= kLeastWaits && !does_the_same &&
                        work_ns(facts) >= least * work_ns(evidence.run.threads[stage]);
    return is_one ? std::optional(neighbour) : std::nullopt;
}

// What sharing the stage's work could save: until another thread of these, or the processors, have as much to do.
// `of_run`: all threads of the run, otherwise of the stage's process.
double gain_ns(const Evidence& evidence, std::uint32_t stage, bool of_run) {
    const ThreadFacts& self = evidence.run.threads[stage];
    double all = 0;
    double next = 0;
    for (std::uint32_t i = 0; i < evidence.run.threads.size(); ++i) {
        const ThreadFacts& other = evidence.run.threads[i];
        if (of_run || other.process == self.process) {
            all += work_ns(other);
            next = i == stage ? next : std::max(next, work_ns(other));
        }
    }
    const auto processors = static_cast<double>(std::max<std::uint64_t>(1, evidence.run.processors));
    return std::max(0.0, work_ns(self) - std::max(next, all / processors));
}

// Threads that are at work, or ready to, nearly all of their lives.
std::vector<std::uint32_t> always_busy(const Evidence& evidence) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        const ThreadFacts& facts = evidence.run.threads[thread];
        const double busy = work_ns(facts) + static_cast<double>(facts.total.run_queue);
        if (life_ns(facts) >= kLeastLife * duration_ns(evidence) && busy >= kAlwaysBusy * life_ns(facts)) {
            result.push_back(thread);
        }
    }
    return result;
}

void claim_pipeline_stage(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    const std::vector<std::uint32_t> stages = always_busy(evidence);
    for (const std::uint32_t stage : stages) {
        const ThreadFacts& facts = run.threads[stage];
        const NodeIndex code = main_code(evidence, stage);
        if (code == kNone) {
            continue;
        }
        std::vector<std::uint32_t> neighbours;
        double waited = 0;
        Claim claim;
        for (std::uint32_t thread = 0; thread < run.threads.size(); ++thread) {
            if (thread == stage) {
                continue;
            }
            if (const auto neighbour = neighbour_of(evidence, stage, code, thread, stages.size() == 1)) {
                neighbours.push_back(thread);
                waited += neighbour->waited;
                claim.targets.insert(claim.targets.end(), neighbour->targets.begin(), neighbour->targets.end());
            }
        }
        const bool is_of_processes = std::any_of(neighbours.begin(), neighbours.end(), [&](std::uint32_t thread) {
            return run.threads[thread].process != facts.process;
        });
        const double gain = gain_ns(evidence, stage, is_of_processes);
        if (neighbours.empty() || gain < kLeastGain * duration_ns(evidence)) {
            continue;
        }
        std::sort(claim.targets.begin(), claim.targets.end());
        claim.targets.erase(std::unique(claim.targets.begin(), claim.targets.end()), claim.targets.end());
        claim.own = {{stage, gain}};
        claim.own_sure = kSureOfStage;
        claim.own_terms = set_of(Term::kUser, Term::kSystem);
        claim.node = code;
        claim.threads = {stage};
        const auto count = static_cast<double>(neighbours.size());
        claim.title = fmt::format(
            "{} bounds a pipeline: {} works {} of its time, and {} that {} work with it {} for it, {}{}. Shared by "
            "more threads, the run would be about {} shorter.",
            name(evidence, code), thread_name(evidence, stage), in_percent(work_ns(facts) / life_ns(facts)),
            thread_names(evidence, neighbours), does(neighbours, "exchange"), does(neighbours, "wait"),
            in_seconds(waited / count), neighbours.size() == 1 ? "" : " each", in_seconds(gain));
        claim.evidence = {
            seconds_of("work, the stage's thread against its neighbours on average", work_ns(facts) / 1e9),
            seconds_of("waiting for it, a neighbour on average", waited / count / 1e9)};
        double work = 0;
        for (const std::uint32_t thread : neighbours) {
            work += work_ns(run.threads[thread]);
        }
        claim.evidence.front().good = work / count / 1e9;
        claim.evidence.front().ratio = work > 0 ? work_ns(facts) * count / work : kUnknown;
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kPipelineStage{
    .place = 85,
    .kind = "pipeline-stage",
    .contrast = Contrast::kRun,
    .needs =
        "a thread is at work, or ready to, for nine tenths of its life; others, each with a seventh of its work and "
        "more (a twentieth, where they wait two hundred times), wait for it ten times and more in conditions, "
        "semaphores or futexes, for three tenths of theirs; or it is the only such "
        "thread of the run, and those of other processes wait so at pipes between them",
    .against =
        "the others do the same work: that is a load imbalance; or another thread, or the processors, have nearly as "
        "much to do: then sharing the stage's work saves nothing",
    .look = claim_pipeline_stage,
    .direction =
        "let several threads do this stage (numbered pieces keep their order), cut it into two stages, or move a "
        "part "
        "of its work to a neighbour that waits",
    .confirm = "give the stage a second thread, or half of its work: its neighbours must wait half as long",
};

}  // namespace kymo::findings
