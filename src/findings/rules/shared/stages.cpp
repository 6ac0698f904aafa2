#include "findings/rules/shared/stages.h"

#include "findings/rules/shared/other_ends.h"
#include "findings/rules/shared/spare.h"
#include "findings/terms.h"

#include <algorithm>
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
constexpr double kLeastShared = 0.2;  // of a neighbour's work: the stage's own part of work that they share
constexpr double kLeastGain = 0.05;   // of the run

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
NodeIndex main_function(const Evidence& evidence, std::uint32_t thread, bool with_inlined) {
    NodeIndex best;
    const double all = work_ns(evidence.run.threads[thread]);
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const bool is_function =
            node.kind == SpaceKind::kFunction || (with_inlined && node.kind == SpaceKind::kInlined);
        if (is_function && !is_library(node.place) && !node.place.function.empty() &&
            work_in(node, thread) >= kMostOfWork * all &&
            (best == kNone || node.depth >= best.in(evidence.nodes).depth)) {
            best = i;
        }
    }
    return best;
}

// One that made other threads holds their work as well: what was inlined into it tells them apart.
NodeIndex main_code(const Evidence& evidence, std::uint32_t thread) {
    const NodeIndex function = main_function(evidence, thread, false);
    const bool holds_others = function != kNone && std::any_of(function.in(evidence.nodes).work.begin(),
                                                               function.in(evidence.nodes).work.end(),
                                                               [&](const auto& of) { return of.thread != thread; });
    return holds_others ? main_function(evidence, thread, true) : function;
}

// What a thread works in a function, on all call paths.
double work_in(const Evidence& evidence, const Place& function, std::uint32_t thread) {
    double most = 0;  // a function inside itself counts once
    for (const SpaceNode& node : evidence.nodes) {
        const bool is_it = node.place.function == function.function && node.place.module == function.module;
        most = is_it ? std::max(most, work_in(node, thread)) : most;
    }
    return most;
}

// A stage and its neighbours do different things all the time. Threads that wait while another one works alone, and
// then share work with it, are no neighbours.
bool shares_work(const Evidence& evidence, std::uint32_t stage, std::uint32_t thread) {
    const NodeIndex code = main_code(evidence, thread);
    return code != kNone && work_in(evidence, code.in(evidence.nodes).place, stage) >=
                                kLeastShared * work_in(code.in(evidence.nodes), thread);
}

// Processes hand over work by pipes and sockets, whose other end need not be known: the wait is for the stage if that
// is the only thread of the run that is always busy.
bool is_handed_over(const Evidence& evidence, std::uint32_t thread, const WaitTarget& target, std::uint32_t stage,
                    bool is_only_busy_one) {
    if (target.kind != WaitKind::kRead && target.kind != WaitKind::kWrite) {
        return hands_over(target.kind) && target.holder == stage;
    }
    return target.process == evidence.run.threads[stage].process
               ? other_end(evidence, thread, target) == stage
               : is_only_busy_one && is_within_run(evidence, target);
}

std::optional<StageNeighbour> neighbour_of(const Evidence& evidence, std::uint32_t stage, NodeIndex code,
                                           std::uint32_t thread, bool is_only_busy_one) {
    const ThreadFacts& facts = evidence.run.threads[thread];
    StageNeighbour neighbour;
    neighbour.thread = thread;
    std::uint64_t count = 0;
    for (const auto* const waits : {&facts.waits, &facts.polled}) {
        for (const OccurrenceWait& wait : *waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            if (is_handed_over(evidence, thread, target, stage, is_only_busy_one)) {
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
                        work_ns(facts) >= least * work_ns(evidence.run.threads[stage]) &&
                        !shares_work(evidence, stage, thread);
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

}  // namespace

std::vector<Stage> pipeline_stages(const Evidence& evidence) {
    const RunFacts& run = evidence.run;
    const std::vector<std::uint32_t> busy = always_busy(evidence);
    std::vector<Stage> stages;
    for (const std::uint32_t thread : busy) {
        Stage stage{.thread = thread, .code = main_code(evidence, thread), .neighbours = {}};
        if (stage.code == kNone) {
            continue;
        }
        bool is_of_processes = false;
        for (std::uint32_t other = 0; other < run.threads.size(); ++other) {
            const auto neighbour =
                other == thread ? std::nullopt : neighbour_of(evidence, thread, stage.code, other, busy.size() == 1);
            if (neighbour) {
                stage.neighbours.push_back(*neighbour);
                is_of_processes = is_of_processes || run.threads[other].process != run.threads[thread].process;
            }
        }
        stage.gain_ns = gain_ns(evidence, thread, is_of_processes);
        if (!stage.neighbours.empty() && stage.gain_ns >= kLeastGain * duration_ns(evidence)) {
            stages.push_back(std::move(stage));
        }
    }
    return stages;
}

}  // namespace kymo::findings
