// lock-contention: threads wait for a lock that others of them hold.
#include "findings/rule.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"
#include "spacetime/profile/wait_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr std::uint64_t kLeastWaits = 10;
constexpr std::uint64_t kLeastEach = 3;

// A read-write lock is one lock, whichever way a thread waits for it.
WaitKind family(WaitKind kind) {
    return kind == WaitKind::kReadLock ? WaitKind::kWriteLock : kind;
}

struct Lock {
    std::vector<std::uint32_t> targets;
    ByThread waited;    // off the processor, or polling
    double polled = 0;  // ns, of all threads
    std::uint64_t count = 0;
    std::int64_t longest = 0;
    double ns = 0;                // of the waits, from their rows
    double held_up = 0;           // of that, while its owner lacked a processor
    std::uint32_t worst = kNone;  // target with most time
    std::int64_t worst_ns = 0;
};

std::string_view lock_words(WaitKind kind) {
    switch (kind) {
        case WaitKind::kOmpCritical:
            return "critical section";
        case WaitKind::kOmpLock:
            return "OpenMP lock";
        case WaitKind::kOmpOrdered:
            return "ordered section";
        case WaitKind::kOmpAtomic:
            return "atomic operation";
        default:
            return wait_kind_words(kind);
    }
}

// A lock that each thread waits for once or twice: it is opened once. A lock that threads return to is not a gate,
// however few their waits: a share of the run is lost all the same.
bool is_gate(const Lock& lock) {
    return lock.count < std::min(kLeastWaits, kLeastEach * lock.waited.size());
}

using LockKey = std::tuple<std::uint32_t, WaitKind, std::uint64_t>;

std::map<LockKey, Lock> find_locks(const Evidence& evidence) {
    std::map<LockKey, Lock> locks;
    for (std::uint32_t i = 0; i < evidence.wait_targets.size(); ++i) {
        const WaitTarget& target = evidence.wait_targets[i];
        if (!is_lock(target.kind)) {
            continue;
        }
        Lock& lock = locks[{target.process, family(target.kind), target.object}];
        lock.targets.push_back(i);
        const WaitSum sums = i < evidence.wait_sums.size() ? evidence.wait_sums[i] : WaitSum{};
        lock.count += sums.count;
        lock.ns += static_cast<double>(sums.ns);
        lock.held_up += static_cast<double>(sums.held_up_ns);
        lock.longest = std::max(lock.longest, sums.longest_ns);
        if (lock.worst == kNone || sums.ns > lock.worst_ns) {
            lock.worst = i;
            lock.worst_ns = sums.ns;
        }
    }
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        const ThreadFacts& facts = evidence.run.threads[thread];
        for (const auto* const waits : {&facts.waits, &facts.polled}) {
            for (const OccurrenceWait& wait : *waits) {
                const WaitTarget& target = evidence.wait_targets[wait.target];
                const auto found = locks.find({target.process, family(target.kind), target.object});
                if (found != locks.end()) {
                    found->second.waited[thread] += static_cast<double>(wait.ns);
                    found->second.polled += waits == &facts.polled ? static_cast<double>(wait.ns) : 0;
                }
            }
        }
    }
    return locks;
}

std::string keeper_words(const Evidence& evidence, const Lock& lock) {
    const program::SourcePlace place =
        lock.worst < evidence.wait_sums.size() ? evidence.wait_sums[lock.worst].holder_place : program::SourcePlace{};
    if (place.function.empty()) {
        return "";
    }
    const WaitKind doing = evidence.wait_sums[lock.worst].holder_doing;
    return fmt::format(
        " Its holder is meanwhile mostly {} {}.",
        doing == WaitKind{} ? std::string("running") : "in " + std::string(wait_kind_words(doing)) + " at",
        name(to_place(place)));
}

void claim_lock_contention(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const double room = room_ns(evidence);
    for (const auto& [key, lock] : find_locks(evidence)) {
        const double waited = sum(lock.waited);
        if (is_gate(lock) || waited <= 0) {
            continue;
        }
        const WaitTarget& worst = evidence.wait_targets[lock.worst];
        Claim claim;
        claim.own = at_most(lock.waited, room);
        // While the owner has no processor, that is what the waiting threads lack, and the lock is not the cause.
        const double locks = lock.ns > 0 ? 1 - lock.held_up / lock.ns : 1;
        for (ThreadTime& own : claim.own) {
            own.ns *= locks;
        }
        claim.own_terms = set_of(Term::kWaiting, Term::kSpinning);
        claim.targets = lock.targets;
        claim.threads = main_threads(lock.waited);
        claim.node = node_of(evidence, worst.place);
        claim.place = to_place(worst.place);
        claim.title =
            fmt::format("{} {} {} in all, {}, for the {} taken in {}, up to {} at a time.{}",
                        thread_names(evidence, claim.threads), does(claim.threads, "wait"), in_seconds(waited),
                        how_often(lock.count), lock_words(worst.kind), name(*claim.place),
                        in_seconds(static_cast<double>(lock.longest)), keeper_words(evidence, lock));
        claim.evidence = {seconds("waiting for the lock", waited / 1e9),
                          {"waits of 10 µs and more", static_cast<double>(lock.count)},
                          seconds("in which processors were idle", idle_processor_ns(evidence) / 1e9)};
        if (lock.held_up > 0) {
            claim.evidence.push_back(seconds("of it in which its owner lacked a processor",
                                             lock.held_up / std::max(1.0, lock.ns) * waited / 1e9));
        }
        if (lock.polled > 0) {
            claim.evidence.push_back(seconds("of it polling on a processor", lock.polled / 1e9));
        }
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kLockContention{
    .place = 80,
    .kind = "lock-contention",
    .contrast = Contrast::kRun,
    .needs = "threads wait for the same lock three times each, or ten times in all, or more",
    .against =
        "the processors are busy with other threads of the program meanwhile: then waiting costs nothing; "
        "and the time for which its owner lacks a processor is not counted",
    .look = claim_lock_contention,
    .direction =
        "do less while the lock is held, or give each thread, or each part of the data, a lock and data of its own "
        "and put "
        "the results together later",
    .confirm =
        "run with one thread: if a thread then needs much less time for the same share of the work, the lock is what "
        "it "
        "waits for",
};

}  // namespace kymo::findings
