// syscall-storm: very many short system calls, each for very little.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"
#include "spacetime/waits/wait_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr double kFaultNs = 5'000;        // what a page fault may take of the kernel's time
constexpr double kSwitchNs = 10'000;      // likewise a switch
constexpr double kSampleNs = 5'000;       // likewise the signal of a sample of ours
constexpr double kThreadNs = 200'000;     // likewise making and ending a thread
constexpr double kLeastCallShare = 0.05;  // of a thread's processor time in calls
constexpr double kLeastRate = 10'000;     // calls a second of a thread, where they are counted
constexpr double kDenser = 1.2;           // the kernel's share in the place against the thread's

// The C library's functions that do little but call the kernel.
bool is_system_call(const Place& place) {
    static constexpr std::array<std::string_view, 44> kNames = {
        "read",     "write",      "pread64",     "pwrite64",  "readv",           "writev",    "recv",    "send",
        "recvfrom", "sendto",     "recvmsg",     "sendmsg",   "lseek",           "lseek64",   "open",    "open64",
        "openat",   "openat64",   "close",       "stat64",    "fstat64",         "fstatat64", "lstat64", "access",
        "getpid",   "getppid",    "gettid",      "getuid",    "syscall",         "ioctl",     "fcntl64", "poll",
        "select",   "epoll_wait", "sched_yield", "nanosleep", "clock_nanosleep", "getrusage", "times",   "kill",
        "tgkill",   "madvise",    "mprotect",    "getdents64"};
    return is_library(place) &&
           std::find(kNames.begin(), kNames.end(), library_function_name(place.function)) != kNames.end();
}

// Time in the kernel that neither faults nor switches nor threads' lives nor the sampling account for.
double unexplained_ns(const ThreadFacts& thread, std::uint32_t faults, double made) {
    const double pages = faults < thread.deltas.size() ? static_cast<double>(thread.deltas[faults]) : 0;
    return static_cast<double>(thread.total.system) - pages * kFaultNs -
           static_cast<double>(thread.voluntary + thread.involuntary) * kSwitchNs - made * kThreadNs -
           static_cast<double>(thread.samples) * kSampleNs -
           static_cast<double>(thread.taken);  // ticks that no sample came from look like the kernel's
}

struct Storm {
    ByThread lost;
    double calls = 0;  // counted ones; 0: none of them is of a kind that is counted
    double counted_ns = 0;
};

Storm find_storm(const Evidence& evidence) {
    const std::uint32_t faults = counter(evidence, "page-faults");
    Storm storm;
    std::vector<double> made(evidence.run.threads.size(), 0);  // threads that it made
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
        const double spent = std::max(many ? counted : 0.0, unexplained_ns(thread, faults, made[i]));
        if (worked > 0 && spent >= kLeastCallShare * worked) {
            storm.lost[i] = std::min(spent, worked);
            storm.calls += many ? calls : 0;
            storm.counted_ns += many ? counted : 0;
        }
    }
    return storm;
}

// Own code that calls the kernel: by samples in the calls' wrappers, or else where the kernel's share stands out.
std::uint32_t find_place(const Evidence& evidence, const Storm& storm) {
    std::map<std::uint32_t, double> callers;
    for (std::uint32_t i = 0; i < evidence.nodes.size(); ++i) {
        if (is_system_call(evidence.nodes[i].place)) {
            const std::uint32_t caller = own_code(evidence, i);
            if (caller != kNoNode) {
                callers[caller] += static_cast<double>(processor(evidence.nodes[i].total));
            }
        }
    }
    const auto most = std::max_element(callers.begin(), callers.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != callers.end()) {
        return most->first;
    }
    double system = 0;
    double worked = 0;
    for (const auto& [thread, ns] : storm.lost) {
        system += static_cast<double>(evidence.run.threads[thread].total.system);
        worked += static_cast<double>(processor(evidence.run.threads[thread].total));
    }
    std::uint32_t best = kNoNode;
    for (std::uint32_t i = 0; i < evidence.nodes.size(); ++i) {
        const SpaceNode& node = evidence.nodes[i];
        const auto share = static_cast<double>(node.total.system) /
                           static_cast<double>(std::max<std::int64_t>(1, processor(node.total)));
        if (!is_library(node.place) && worked > 0 && share >= kDenser * system / worked &&
            (best == kNoNode || node.total.system > evidence.nodes[best].total.system)) {
            best = i;
        }
    }
    return best;
}

void claim_syscall_storm(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const Storm storm = find_storm(evidence);
    if (storm.lost.empty()) {
        return;
    }
    Claim claim;
    claim.node = find_place(evidence, storm);
    if (claim.node == kNoNode && storm.calls == 0) {
        return;  // the kernel's time is nowhere in particular: not calls of one piece of code
    }
    claim.own = at_most(storm.lost, duration_ns(evidence));
    claim.own_terms = set_of(Term::kSystem);
    claim.own_sure = 0.8;
    claim.threads = main_threads(storm.lost);
    const std::string where = claim.node == kNoNode ? "" : " in " + name(evidence, claim.node);
    claim.title =
        storm.calls > 0
            ? fmt::format("{} {} {} short transfers{}, {} each, {} in all.", thread_names(evidence, claim.threads),
                          does(claim.threads, "make"), number(storm.calls), where,
                          in_seconds(storm.counted_ns / storm.calls), in_seconds(sum(storm.lost)))
            : fmt::format("{} {} {} in short system calls{}.", thread_names(evidence, claim.threads),
                          does(claim.threads, "spend"), in_seconds(sum(storm.lost)), where);
    claim.evidence = {{"seconds in short calls", sum(storm.lost) / 1e9}};
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
        "page faults, switches and threads' beginnings account for the kernel's time; its share is the same "
        "everywhere",
    .look = claim_syscall_storm,
    .direction = "collect small pieces in a buffer and hand them over together; ask once for what does not change",
    .confirm =
        "count the calls (strace -c -f, as a test only: it slows the program down), then halve them by a larger "
        "buffer",
};

}  // namespace kymo::findings
