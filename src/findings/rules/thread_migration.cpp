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

constexpr double kLeastQueue = 0.1;  // of a thread's life, ready and without a processor
constexpr double kHeld = 0.95;       // of its samples on one processor
constexpr double kUsedUp = 0.7;      // of the processor, by these threads
constexpr std::uint64_t kLeastSamples = 5;

// The processor that a thread stays on and queues for; none: it moves, has few samples, or hardly queues.
std::optional<std::uint32_t> held_on(const ThreadFacts& thread) {
    std::uint64_t all = 0;
    ProcessorSamples most;
    for (const ProcessorSamples& each : thread.processors) {
        all += each.samples;
        most = each.samples > most.samples ? each : most;
    }
    const auto life = static_cast<double>(thread.end - std::min(thread.begin, thread.end));
    const bool stays = all >= kLeastSamples && static_cast<double>(most.samples) >= kHeld * static_cast<double>(all);
    return stays && static_cast<double>(thread.total.run_queue) >= kLeastQueue * life ? std::optional(most.processor)
                                                                                      : std::nullopt;
}

// The innermost node that holds most of these threads' time in nodes that they all occurrence.
std::uint32_t common_place(const Evidence& evidence, const std::vector<std::uint32_t>& threads) {
    std::uint32_t best = kNoNode;
    std::int64_t most = 0;
    for (std::uint32_t node = 0; node < evidence.nodes.size(); ++node) {
        const SpaceNode& space = evidence.nodes[node];
        const bool is_common =
            std::includes(space.threads.begin(), space.threads.end(), threads.begin(), threads.end());
        if (is_common && space.kind != SpaceKind::kIteration && space.total.run_queue > most) {
            most = space.total.run_queue;
            best = node;
        }
    }
    return best != kNoNode ? innermost(evidence, best) : kNoNode;
}

void claim_thread_migration(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    if (run.processors < 2) {
        return;
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> held;  // processor → threads that stay on it and queue
    for (std::uint32_t thread = 0; thread < run.threads.size(); ++thread) {
        if (const auto on = held_on(run.threads[thread])) {
            held[*on].push_back(thread);
        }
    }
    // Were all processors in use, waiting for one would be no fault of where the threads are.
    double ready = 0;
    double crowded = 0;
    for (std::size_t count = 1; count < run.ready_ns.size(); ++count) {
        ready += static_cast<double>(run.ready_ns[count]);
        crowded += count > run.processors ? static_cast<double>(run.ready_ns[count]) : 0;
    }
    if (crowded * 2 > ready) {
        return;
    }
    for (const auto& [processor_number, threads] : held) {
        // Were it others that have the processor, these would not use it up between them.
        double busy = 0;
        std::uint64_t begin = ~std::uint64_t{0};
        std::uint64_t end = 0;
        for (const std::uint32_t thread : threads) {
            busy += static_cast<double>(processor(run.threads[thread].total) + run.threads[thread].total.spinning);
            begin = std::min(begin, run.threads[thread].begin);
            end = std::max(end, run.threads[thread].end);
        }
        if (threads.size() < 2 || busy < kUsedUp * static_cast<double>(end - begin)) {
            continue;
        }
        Claim claim;
        double all = 0;
        for (const std::uint32_t thread : threads) {
            const auto queue = static_cast<double>(run.threads[thread].total.run_queue);
            claim.own.push_back({thread, queue});
            all += queue;
        }
        claim.own_sure = 0.9;
        claim.own_terms = set_of(Term::kRunQueue);
        claim.threads = threads;
        claim.node = common_place(evidence, threads);
        claim.title = fmt::format(
            "{} threads share processor {} and wait for each other there for {}, while the program has no "
            "more threads ready than there are processors ({}).",
            threads.size(), processor_number, in_seconds(all), run.processors);
        claim.evidence.push_back({"seconds waiting for a processor", all / 1e9, 0, kUnknown, kUnknown, kUnknown});
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kThreadMigration{
    .place = 40,
    .kind = "thread-migration",
    .contrast = Contrast::kRun,
    .needs =
        "two or more threads stay on one processor (95 % of their samples) and wait for it for at least a tenth "
        "of "
        "their lives",
    .against =
        "the program has more threads ready than there are processors for most of the time: that is "
        "oversubscription; "
        "they use less than 70 % of the processor: others have it",
    .look = claim_thread_migration,
    .direction =
        "give each thread its own processor: look for affinity masks (taskset, OMP_PLACES, cpusets) that hold them "
        "together",
    .confirm = "run it with the mask lifted (taskset -c 0-N, OMP_PROC_BIND=spread), and compare",
};

}  // namespace kymo::findings
