// syscall-storm: very many short system calls, each for very little.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/messages.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"
#include "spacetime/evidence/account/system_calls.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kFaultNs = 20'000;       // the kernel's time for a page fault, on a slow virtual machine
constexpr double kSwitchNs = 10'000;      // likewise a switch
constexpr double kSampleNs = 5'000;       // likewise the signal of a sample of ours
constexpr double kThreadNs = 200'000;     // likewise making and ending a thread
constexpr double kStartNs = 15'000'000;   // likewise loading a program
constexpr double kLeastCallShare = 0.05;  // of a thread's processor time in calls
constexpr double kDenser = 1.2;           // the kernel's share in the place against the thread's
constexpr double kNearlyAll = 0.9;        // of it: then it is named by the smaller piece
constexpr double kLeastRate = 10'000;     // calls a second of a thread, if they are counted

// Time in the kernel that neither faults nor switches nor threads' lives nor the sampling account for.
double unexplained_ns(const ThreadFacts& thread, CounterIndex faults, double made) {
    const double pages = raw(faults) < thread.deltas.size() ? static_cast<double>(faults.in(thread.deltas)) : 0;
    return static_cast<double>(thread.total.system) - pages * kFaultNs -
           static_cast<double>(thread.voluntary + thread.involuntary) * kSwitchNs - made * kThreadNs -
           static_cast<double>(thread.samples) * kSampleNs - (thread.creator == kNone ? kStartNs : 0) -
           static_cast<double>(thread.taken);  // ticks without a sample look like the kernel's
}

// By thread, the kernel's time for calls that give the processor up and get it back: each is a switch, and a
// thread that makes thousands of them waits in an expensive way.
ByThread yielding_ns(const Evidence& evidence) {
    ByThread all;
    for (const SpaceNode& node : evidence.nodes) {
        if (is_library(node.place) && call_name(node.place.function) == "sched_yield") {
            for (const ThreadTime& part : by_thread(node, [](const TimeTerms& terms) { return terms.system; })) {
                all[part.thread] += part.ns;
            }
        }
    }
    return all;
}

// By thread, its time that may be in the kernel's calls, and is neither the start and end of run-time libraries nor
// the message library's own.
ByThread called_ns(const Account& account) {
    ByThread all;
    for (const AccountRow& row : account.rows) {
        if (is_meeting(row)) {
            continue;
        }
        switch (row.time_class) {
            case TimeClass::kRunTime:
                if (row.family == TaxFamily::kMessages) {
                    break;
                }
                [[fallthrough]];
            case TimeClass::kSystemCall:
                if (is_child_call(row)) {
                    break;  // polling, or as many processes
                }
                [[fallthrough]];
            case TimeClass::kKernel:
            case TimeClass::kPageFaults:  // with calls that no library makes
            case TimeClass::kInputOutput:
            case TimeClass::kSpinning:
            case TimeClass::kUnseen:
                for (const AccountTime& part : row.threads) {
                    all[part.thread] += static_cast<double>(part.ns);
                }
                break;
            default:
                break;
        }
    }
    return all;
}

struct Storm {
    ByThread lost;
    double calls = 0;  // counted ones; 0: none of them is of a kind that is counted
    double counted_ns = 0;
};

Storm find_storm(const Evidence& evidence) {
    const CounterIndex faults = counter(evidence, "page-faults");
    Storm storm;
    const ByThread yielding = yielding_ns(evidence);
    const ByThread called = called_ns(evidence.account);
    std::vector<double> made(evidence.run.threads.size(), 0);  // threads that each made
    for (const ThreadFacts& thread : evidence.run.threads) {
        if (thread.creator < made.size()) {
            ++made[thread.creator];
        }
    }
    for (std::uint32_t i = 0; i < evidence.run.threads.size(); ++i) {
        const ThreadFacts& thread = evidence.run.threads[i];
        const auto worked = static_cast<double>(processor(thread.total));
        double counted = 0;
        double calls = 0;
        for (const BriefWaits& brief : thread.brief) {
            const bool is_transfer = !is_synchronisation(brief.kind) && brief.kind != WaitKind::kChild;
            counted += is_transfer ? static_cast<double>(brief.ns) : 0;
            calls += is_transfer ? static_cast<double>(brief.count) : 0;
        }
        const double life = static_cast<double>(thread.end - thread.begin) / 1e9;
        const bool many = calls >= kLeastRate * life;
        // Counted calls are timed one by one; of others only the kernel's time is known.
        const auto yields = yielding.find(i);
        const double estimated = std::max({many ? counted : 0.0, unexplained_ns(thread, faults, made[i]),
                                           yields == yielding.end() ? 0.0 : yields->second});
        const auto most = called.find(i);
        const double spent = evidence.account.rows.empty() ? estimated
                             : most == called.end()        ? 0
                                                           : std::min(estimated, most->second);
        if (worked > 0 && spent >= kLeastCallShare * worked) {
            storm.lost[i] = std::min(spent, worked);
            storm.calls += many ? calls : 0;
            storm.counted_ns += many ? counted : 0;
        }
    }
    return storm;
}

// The share of the storm's threads in a node: another thread's calls are not theirs.
WorkSums of_threads(const SpaceNode& node, const Storm& storm) {
    WorkSums theirs;
    for (const ThreadWork& part : node.work) {
        theirs += storm.lost.contains(part.thread) ? part.ns : WorkSums{};
    }
    return theirs;
}

// The program's own code that makes a library's call; a call inside of MPI is MPI's.
NodeIndex caller_of(const Evidence& evidence, NodeIndex call) {
    return is_in_messages(evidence, call) ? call : own_code(evidence, call);
}

// Where the kernel's share is concentrated: code of a library or, if calls are counted, any. The program's own
// code may not be involved: the kernel's time belongs to what runs next, and page faults are not calls.
NodeIndex densest(const Evidence& evidence, const Storm& storm) {
    double system = 0;
    double worked = 0;
    for (const auto& [thread, ns] : storm.lost) {
        const ThreadFacts& facts = evidence.run.threads[thread];
        system += static_cast<double>(facts.total.system - facts.taken);
        worked += static_cast<double>(processor(facts.total) - facts.taken);
    }
    NodeIndex best;
    double most = 0;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        const WorkSums work = of_threads(node, storm);
        const auto theirs = static_cast<double>(work.system);
        const double share = theirs / std::max(1.0, static_cast<double>(work.all()));
        if (own_code(evidence, i) != kNone && (storm.calls > 0 || is_library(node.place)) && worked > 0 &&
            share >= kDenser * system / worked &&
            (theirs > most || (best != kNone && is_inside(evidence, i, best) && theirs >= kNearlyAll * most))) {
            best = i;
            most = std::max(most, theirs);
        }
    }
    return best == kNone ? best : caller_of(evidence, best);  // a library's call is its caller's
}

// Own code that calls the kernel, by samples in the calls' wrappers.
NodeIndex find_place(const Evidence& evidence, const Storm& storm) {
    std::map<NodeIndex, double> callers;
    for (const NodeIndex i : indices(evidence.nodes)) {
        const Place& place = i.in(evidence.nodes).place;
        if (is_library(place) && is_system_call(call_name(place.function))) {
            const NodeIndex caller = caller_of(evidence, i);
            if (caller != kNone) {
                const auto theirs = static_cast<double>(of_threads(i.in(evidence.nodes), storm).all());
                if (theirs > 0) {
                    callers[caller] += theirs;
                }
            }
        }
    }
    const auto most = std::max_element(callers.begin(), callers.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == callers.end() ? densest(evidence, storm) : most->first;
}

void claim_syscall_storm(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const Storm storm = find_storm(evidence);
    if (storm.lost.empty()) {
        return;
    }
    Claim claim;
    claim.node = find_place(evidence, storm);
    if (claim.node == kNone && storm.calls == 0) {
        return;  // the kernel's time is nowhere in particular: not calls of one piece of code
    }
    if (claim.node != kNone && is_in_messages(evidence, claim.node)) {
        return;  // a thread that waits for a message polls for it
    }
    claim.own = at_most(storm.lost, duration_ns(evidence));
    claim.own_terms = set_of(Term::kSystem);
    claim.own_sure = 0.8;
    claim.threads = main_threads(storm.lost);
    const std::string where = claim.node == kNone ? "" : " in " + name(evidence, claim.node);
    claim.title =
        storm.calls > 0
            ? fmt::format("{} {} {} short transfers{}, {} each, {} in all.", thread_names(evidence, claim.threads),
                          does(claim.threads, "make"), number(storm.calls), where,
                          in_seconds(storm.counted_ns / storm.calls), in_seconds(sum(storm.lost)))
            : fmt::format("{} {} {} in short system calls{}.", thread_names(evidence, claim.threads),
                          does(claim.threads, "spend"), in_seconds(sum(storm.lost)), where);
    claim.evidence = {seconds("in short calls", sum(storm.lost) / 1e9)};
    if (storm.calls > 0) {
        claim.evidence.push_back({"transfers under 10 µs", storm.calls});
    }
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kSyscallStorm{
    .place = 120,
    .kind = "syscall-storm",
    .contrast = Contrast::kRun,
    .needs =
        "a twentieth of a thread's processor time is in transfers shorter than 10 µs, ten thousand and more a "
        "second, or in "
        "the kernel without page faults, switches or new threads to account for it",
    .against =
        "page faults, switches, threads' beginnings and the program's start account for the kernel's time; no "
        "library's code stands out by it, where calls are not counted; it is inside a call of MPI, where asking "
        "again is waiting, or at the start or end of a run-time library",
    .look = claim_syscall_storm,
    .direction = "collect small pieces in a buffer and hand them over together; ask once for what does not change",
    .confirm =
        "count the calls (strace -c -f, as a test only: it slows the program down), then halve them by a larger "
        "buffer",
};

}  // namespace kymo::findings
