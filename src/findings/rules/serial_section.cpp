// serial-section: one thread works while the others, that share the work elsewhere, have nothing to do.
#include "findings/rule.h"
#include "findings/rules/shared/alone.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/other_ends.h"
#include "findings/rules/shared/short_children.h"
#include "findings/rules/shared/spare.h"
#include "findings/rules/shared/stages.h"
#include "findings/rules/shared/tasks_at_once.h"
#include "findings/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kMostOfIt = 0.8;
constexpr double kLeastSerial = 0.05;  // of the run
constexpr std::int64_t kMostHelped =
    10;                              // times its own work: a thread that waits longer for processes only starts them
constexpr double kMostlyKept = 0.5;  // of the time that a thread is alone: others wait for locks or data as long

// ns that a thread is at a meeting of its team, and nowhere else: it is there for the team's work.
std::int64_t at_meetings_ns(const Evidence& evidence, const ThreadFacts& thread) {
    std::int64_t ns = 0;
    for (const auto* const waits : {&thread.waits, &thread.polled}) {
        for (const OccurrenceWait& wait : *waits) {
            const WaitKind kind = evidence.wait_targets[wait.target].kind;
            const bool is_meeting =
                kind == WaitKind::kBarrier || kind == WaitKind::kOmpBarrier || kind == WaitKind::kOmpIdle;
            ns += is_meeting ? wait.ns : 0;
        }
    }
    return ns;
}

// Other threads of the process that computed at some time, or wait at its meetings. One that only transfers data
// could not take a share.
std::vector<const ThreadFacts*> working_peers(const Evidence& evidence, std::uint32_t thread) {
    const ThreadFacts& self = evidence.run.threads[thread];
    const std::int64_t least = self.total.user / 10;
    std::vector<const ThreadFacts*> peers;
    for (const ThreadFacts& other : evidence.run.threads) {
        if (&other != &self && other.process == self.process &&
            other.total.user + at_meetings_ns(evidence, other) >= std::max<std::int64_t>(least, 1)) {
            peers.push_back(&other);
        }
    }
    return peers;
}

// How many of them live while these threads run the section, on average: the others cannot wait for it.
std::size_t alive_meanwhile(const std::vector<const ThreadFacts*>& peers, const OccurrenceTable& section,
                            const std::vector<std::uint32_t>& threads) {
    double all = 0;
    double alive = 0;
    for (std::size_t row = 0; row < section.size(); ++row) {
        if (!std::binary_search(threads.begin(), threads.end(), section.thread[row])) {
            continue;
        }
        all += static_cast<double>(section.duration(row));
        for (const ThreadFacts* const peer : peers) {
            const std::uint64_t begin = std::max(peer->begin, section.begin[row]);
            const std::uint64_t end = std::min(peer->end, section.end[row]);
            alive += static_cast<double>(end - std::min(begin, end));
        }
    }
    return all > 0 ? static_cast<std::size_t>(std::lround(alive / all)) : 0;
}

// The most of them that live at one time: where threads are made for each parallel part of the run, so many could be
// made for the section.
std::size_t most_alive(const std::vector<const ThreadFacts*>& peers) {
    std::size_t most = 0;
    for (const ThreadFacts* const one : peers) {
        most = std::max(
            most, static_cast<std::size_t>(std::count_if(peers.begin(), peers.end(), [&](const ThreadFacts* other) {
                return other->begin <= one->begin && one->begin < other->end;
            })));
    }
    return most;
}

std::string peers_words(std::size_t waiting) {
    if (waiting == 0) {
        return "those that work elsewhere do not exist";
    }
    return waiting == 1 ? std::string("its peer waits") : fmt::format("its {} peers wait", waiting);
}

// Threads that wait for a lock, for data, or for a process to whom they gave a part of their work, have work to do:
// what keeps them from it is the lock, the device or the process.
double kept_from_work_ns(const Evidence& evidence) {
    double ns = 0;
    for (const ThreadFacts& thread : evidence.run.threads) {
        ns += waited_for_locks_ns(evidence, thread);
        for (const OccurrenceWait& wait : thread.waits) {
            const WaitTarget& target = evidence.wait_targets[wait.target];
            const bool is_transfer =
                target.kind == WaitKind::kRead || target.kind == WaitKind::kWrite || target.kind == WaitKind::kSync;
            const bool is_helped = target.kind == WaitKind::kChild && thread.total.user >= wait.ns / kMostHelped;
            ns += (is_transfer && !is_within_run(evidence, target)) || is_helped ? static_cast<double>(wait.ns) : 0;
        }
    }
    // Likewise for what short processes write.
    for (const auto& [parent, children] : short_children(evidence.run)) {
        for (const auto& [key, waited] : waits_for(evidence, parent, children)) {
            ns += evidence.wait_targets[key.second].kind == WaitKind::kChild ? 0 : waited;
        }
    }
    return ns;
}

// The compiler's function that makes a file's global objects. It runs before main, where no thread can help.
bool is_before_main(const Place& place) {
    return place.function.starts_with("_GLOBAL__sub_I_") || place.function.starts_with("__static_initialization_and");
}

bool is_code(const SpaceNode& node) {
    return node.kind != SpaceKind::kIteration && node.kind != SpaceKind::kMark;
}

// Another works in the same code on the same call path, in company, a fifth as much and more: one has more of it than
// the others (load-imbalance). Threads that take turns there each work alone.
bool is_shared(const SpaceNode& node, std::uint32_t thread) {
    constexpr double kLeastPart = 5;
    constexpr float kCompany = 1.5F;  // threads at work
    ByThread others;
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        if (node.rows.thread[row] != thread && node.rows.active_threads[row] >= kCompany) {
            others[node.rows.thread[row]] += static_cast<double>(processor(node.rows.terms[row]));
        }
    }
    const auto own = static_cast<double>(node.work_of(thread).all());
    return std::any_of(others.begin(), others.end(),
                       [&](const auto& other) { return other.second * kLeastPart >= own; });
}

// Calls of a function by itself are part of its outermost call, `found` before.
bool is_inside_itself(const Evidence& evidence, const SpaceNode& node, const std::vector<bool>& found) {
    for (NodeIndex around = node.parent; around != kNone; around = around.in(evidence.nodes).parent) {
        const Place& outer = around.in(evidence.nodes).place;
        if (around.in(found) && outer.function == node.place.function && outer.module == node.place.module) {
            return true;
        }
    }
    return false;
}

void claim_serial_section(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    if (evidence.run.processors < 2 || !is_parallel(evidence)) {
        return;
    }
    const double kept = kept_from_work_ns(evidence);
    std::optional<std::vector<Stage>> stages;  // found where a section is
    const auto is_stage = [&](std::uint32_t thread) {
        if (!stages) {
            stages = pipeline_stages(evidence);
        }
        return std::any_of(stages->begin(), stages->end(),
                           [&](const Stage& stage) { return stage.thread == thread; });
    };
    std::vector<Alone> alone(evidence.nodes.size());
    std::vector<bool> is_serial(evidence.nodes.size(), false);
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        if (is_code(node) && !node.polls) {
            i.in(alone) = alone_in(node);
            i.in(is_serial) = is_mostly_alone(i.in(alone));
        }
    }
    std::vector<bool> found(evidence.nodes.size(), false);
    for (const NodeIndex i : indices(evidence.nodes)) {
        if (!i.in(is_serial)) {
            continue;
        }
        const SpaceNode& node = i.in(evidence.nodes);
        // The smallest function that has most of it: its loops and callees add no information.
        const double own = sum(i.in(alone).times);
        if (kept >= kMostlyKept * own) {
            continue;
        }
        bool is_smallest = !is_library(node.place);
        for (const NodeIndex child : indices(evidence.nodes, raw(i) + 1)) {
            is_smallest = is_smallest && (child.in(evidence.nodes).parent != i || !child.in(is_serial) ||
                                          is_library(child.in(evidence.nodes).place) ||
                                          sum(child.in(alone).times) < kMostOfIt * own);
        }
        const bool is_part =
            node.parent != kNone && node.parent.in(is_serial) && own < kMostOfIt * sum(node.parent.in(alone).times);
        if (!is_smallest || (is_part && own < 0.2 * sum(node.parent.in(alone).times))) {
            continue;
        }
        if (is_inside_itself(evidence, node, found)) {
            continue;
        }
        const std::vector<std::uint32_t> threads = main_threads(i.in(alone).times);
        if (task_at_once(evidence, i) != kNone || threads.empty() || is_stage(threads.front()) ||
            is_shared(node, threads.front())) {
            continue;
        }
        const std::vector<const ThreadFacts*> peers = working_peers(evidence, threads.front());
        const std::size_t waiting = alive_meanwhile(peers, node.rows, threads);
        const std::size_t others = waiting != 0 ? waiting : most_alive(peers);
        if (others == 0) {
            continue;
        }
        // Shared with the peers, as many as there are processors for, it would take its time divided by them. Turns
        // that several threads took one after another add up.
        const double workers =
            std::min(static_cast<double>(others + 1), static_cast<double>(evidence.run.processors));
        // Its loops, and code inlined into it, are reported by the function's name.
        NodeIndex place = i;
        NodeIndex around = node.parent;
        while (place.in(evidence.nodes).kind != SpaceKind::kFunction && around != kNone && around.in(is_serial) &&
               own >= kMostOfIt * sum(around.in(alone).times)) {
            place = around;
            around = around.in(evidence.nodes).parent;
        }
        const double gain = std::min(own * (1 - 1 / workers), room_ns(evidence));
        if (gain < kLeastSerial * duration_ns(evidence) || is_before_main(place.in(evidence.nodes).place)) {
            continue;
        }
        i.in(found) = true;
        Claim claim;
        claim.own = {{threads.front(), gain}};
        claim.own_terms = set_of(Term::kUser, Term::kSystem);
        claim.node = place;
        claim.threads = threads;
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            claim.when.push_back({node.rows.begin[row], node.rows.end[row]});
        }
        std::sort(claim.when.begin(), claim.when.end(),
                  [](const auto& a, const auto& b) { return a.begin < b.begin; });
        claim.title = fmt::format(
            "While {} runs, one thread works and {}: {} of the run in all. Shared among {} threads it would take {} "
            "less.",
            name(evidence, place), peers_words(waiting), in_seconds(own), static_cast<int>(workers),
            in_seconds(claim.own.front().ns));
        claim.evidence = {seconds_of("work of one thread alone", own / 1e9),
                          seconds("in which processors were idle", idle_processor_ns(evidence) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kSerialSection{
    .place = 130,
    .kind = "serial-section",
    .contrast = Contrast::kRun,
    .needs =
        "a function runs for four fifths of its time while no other thread of the process is at work, though threads "
        "work at "
        "the same time elsewhere",
    .against =
        "the program never has two threads at work at once; the processors are not idle meanwhile; others wait for "
        "locks, or for data of a device, for half as long: then that keeps them from work; shared among the threads, "
        "the work would make the run shorter by less than a twentieth; its thread is the stage of a pipeline, it "
        "is of tasks that run inside the function that makes them, or others work a fifth as much in the same code, "
        "which "
        "have findings of their own; it is before main",
    .look = claim_serial_section,
    .direction = "share its work among the threads, overlap it with theirs, or do less of it",
    .confirm =
        "run with one thread: by Amdahl's law the run takes at best this part, plus the rest divided by the threads; "
        "with "
        "more threads this part stays as long as it is",
};

}  // namespace kymo::findings
