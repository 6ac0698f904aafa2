// thread-migration: threads share a processor while another one has nothing to do.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastQueue = 0.1;    // of the time ready or on a processor, or of a thread's life
constexpr double kHeld = 0.95;         // of its samples on one processor
constexpr double kUsedUp = 0.7;        // of the processor, by these threads
constexpr double kByThemselves = 0.8;  // of their waiting for it
constexpr std::uint64_t kLeastSamples = 5;

// The processor of a thread that does not move; none: it moves, or has few samples.
std::optional<std::uint32_t> held_on(const ThreadFacts& thread) {
    std::uint64_t all = 0;
    ProcessorSamples most;
    for (const ProcessorSamples& each : thread.processors) {
        all += each.samples;
        most = each.samples > most.samples ? each : most;
    }
    const bool stays = all >= kLeastSamples && static_cast<double>(most.samples) >= kHeld * static_cast<double>(all);
    return stays ? std::optional(most.processor) : std::nullopt;
}

double life(const ThreadFacts& thread) {
    return static_cast<double>(thread.end - std::min(thread.begin, thread.end));
}

double busy(const ThreadFacts& thread) {
    return static_cast<double>(processor(thread.total) + thread.total.spinning);
}

// ns for which a group's threads can have had the processor while this one lived, if each was busy evenly in time.
double busy_beside(const RunFacts& run, const std::vector<std::uint32_t>& group, std::uint32_t thread) {
    const ThreadFacts& self = run.threads[thread];
    double ns = 0;
    for (const std::uint32_t other : group) {
        const ThreadFacts& facts = run.threads[other];
        const std::uint64_t begin = std::max(facts.begin, self.begin);
        const std::uint64_t end = std::min(facts.end, self.end);
        if (other != thread && begin < end) {
            ns += busy(facts) * static_cast<double>(end - begin) / life(facts);
        }
    }
    return ns;
}

struct Sharing {
    std::vector<ThreadTime> queue;       // of each thread
    std::vector<std::uint32_t> waiters;  // threads that lose much of their lives so
    double ns = 0;
};

// The waits of threads on one processor for one another; none: others have it, or they hardly wait.
std::optional<Sharing> shared_by(const RunFacts& run, const std::vector<std::uint32_t>& group) {
    double used = 0;
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    Sharing sharing;
    for (const std::uint32_t thread : group) {
        const ThreadFacts& facts = run.threads[thread];
        used += busy(facts);
        begin = std::min(begin, facts.begin);
        end = std::max(end, facts.end);
        const auto queue = static_cast<double>(facts.total.run_queue);
        if (queue <= 0) {
            continue;
        }
        sharing.queue.push_back({thread, queue});
        sharing.ns += queue;
        if (queue >= kLeastQueue * life(facts)) {
            sharing.waiters.push_back(thread);
        }
    }
    // If others had the processor, these would not use it up between them.
    if (sharing.waiters.empty() || used < kUsedUp * static_cast<double>(end - begin) ||
        sharing.ns < kLeastQueue * (used + sharing.ns)) {
        return std::nullopt;
    }
    // Last, since it compares every two threads of the group.
    double explained = 0;  // ns; by what the others had of it
    for (const ThreadTime& each : sharing.queue) {
        explained += std::min(each.ns, busy_beside(run, group, each.thread));
    }
    return explained >= kByThemselves * sharing.ns ? std::optional(std::move(sharing)) : std::nullopt;
}

// The innermost node that holds most of these threads' time in nodes common to all of them.
NodeIndex common_place(const Evidence& evidence, const std::vector<std::uint32_t>& threads) {
    NodeIndex best;
    std::int64_t most = 0;
    for (const NodeIndex node : indices(evidence.nodes)) {
        const SpaceNode& space = node.in(evidence.nodes);
        const bool is_common =
            std::includes(space.threads.begin(), space.threads.end(), threads.begin(), threads.end());
        if (is_common && space.kind != SpaceKind::kIteration && space.total.run_queue > most) {
            most = space.total.run_queue;
            best = node;
        }
    }
    return best != kNone ? innermost(evidence, best) : best;
}

void claim_thread_migration(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    if (run.processors < 2) {
        return;
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> held;  // processor → threads that stay on it
    for (std::uint32_t thread = 0; thread < run.threads.size(); ++thread) {
        if (const auto on = held_on(run.threads[thread])) {
            held[*on].push_back(thread);
        }
    }
    // If all processors were in use, the threads' placement would not be the cause.
    double ready = 0;
    double crowded = 0;
    for (std::size_t count = 1; count < run.ready_ns.size(); ++count) {
        ready += static_cast<double>(run.ready_ns[count]);
        crowded += count > run.processors ? static_cast<double>(run.ready_ns[count]) : 0;
    }
    if (crowded * 2 > ready) {
        return;
    }
    for (const auto& [processor_number, group] : held) {
        const auto sharing = shared_by(run, group);
        if (!sharing) {
            continue;
        }
        Claim claim;
        claim.own = sharing->queue;
        claim.own_sure = 0.9;
        claim.own_terms = set_of(Term::kRunQueue);
        claim.threads = sharing->waiters;
        claim.node = common_place(evidence, sharing->waiters);
        claim.title = fmt::format(
            "{} threads share processor {} and wait for each other there for {}, while the program has no "
            "more threads ready than there are processors ({}).",
            group.size(), processor_number, in_seconds(sharing->ns), run.processors);
        claim.evidence.push_back(seconds("waiting for a processor", sharing->ns / 1e9, 0));
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kThreadMigration{
    .place = 40,
    .kind = "thread-migration",
    .contrast = Contrast::kRun,
    .needs =
        "two or more threads stay on one processor (95 % of their samples), wait for it for at least a tenth of the "
        "time that they are ready or on it, and most of that while others of them have it",
    .against =
        "the program has more threads ready than there are processors for most of the time: that is "
        "oversubscription; they use less than 70 % of the processor: others have it",
    .look = claim_thread_migration,
    .direction =
        "give each thread its own processor: look for affinity masks (taskset, OMP_PLACES, cpusets) that hold them "
        "together",
    .confirm = "run it with the mask lifted (taskset -c 0-N, OMP_PROC_BIND=spread), and compare",
};

}  // namespace kymo::findings
