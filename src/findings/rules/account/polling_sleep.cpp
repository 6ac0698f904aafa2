// polling-sleep: a thread sleeps while nothing else of the program works, and the run waits for it to wake up.
// periodic-pause, by the same figures: it pauses so in its work.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastBusy = 0.1;  // of the run: a program that works for less is there to wait
// Unless it sleeps so often and so briefly: no rate is kept so, nor a device or a person waited for.
constexpr double kLeastBusyOfBrief = 0.01;
constexpr std::uint64_t kManySleeps = 1'000;
constexpr std::int64_t kBriefNs = 500'000;

// What would be saved is that many sleeps' time: the last one before a thread ends holds up the end, once.
constexpr std::int64_t kLeastSleeps = 2;

bool is_sleep(recording::WaitKind kind) {
    return kind == recording::WaitKind::kSleep;
}

// Processor time of threads that `maker` made after the run's first tenth, and of processes that its process started
// then.
double work_made_later_ns(const Evidence& evidence, std::uint32_t maker) {
    const RunFacts& run = evidence.run;
    const auto early = run.begin + static_cast<std::uint64_t>(kLeastBusy * duration_ns(evidence));
    const auto is_of_child = [&](const ThreadFacts& thread) {
        return thread.process < run.processes.size() && thread.process != run.threads[maker].process &&
               run.processes[thread.process].parent == run.threads[maker].process &&
               run.processes[thread.process].begin > early;
    };
    double ns = 0;
    for (const ThreadFacts& thread : run.threads) {
        const bool is_made = thread.creator == maker && thread.begin > early;
        ns += is_made || is_of_child(thread) ? static_cast<double>(processor(thread.total)) : 0;
    }
    return ns;
}

// The run goes on when these threads do: they do a part of its work themselves, or make the threads that do, or
// others wait for them as long as half of the time that would be saved. A timer's thread sleeps beside the program
// and holds nothing up. If they sleep for longer than they work, they wait for something; otherwise they pause in
// their work.
enum class Need : std::uint8_t { kNone, kWaits, kPauses };
Need need_of(const Evidence& evidence, const AccountSums& sleeps, const std::vector<std::uint32_t>& threads,
             double least_busy) {
    double worked = 0;
    double awaited = 0;
    double made = 0;  // work of threads that they made during the run: the first ones they may make before any sleep
    for (const std::uint32_t thread : threads) {
        worked += static_cast<double>(processor(evidence.run.threads[thread].total));
        for (std::size_t i = 0; i < evidence.wait_targets.size(); ++i) {
            awaited += evidence.wait_targets[i].holder == thread ? static_cast<double>(evidence.wait_sums[i].ns) : 0;
        }
        made += work_made_later_ns(evidence, thread);
    }
    const bool hold_up = worked >= least_busy * duration_ns(evidence) || made >= kLeastBusy * duration_ns(evidence) ||
                         awaited * 2 >= static_cast<double>(sleeps.shorter_ns);
    return !hold_up ? Need::kNone : worked <= static_cast<double>(sleeps.ns) ? Need::kWaits : Need::kPauses;
}

template <Need kNeed>
void claim_sleep(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const double busy = static_cast<double>(processor_ns(evidence.account)) / duration_ns(evidence);
    const auto sums =
        sums_by_function(evidence.account, [](const AccountRow& row) { return row.time_class == TimeClass::kTimer; });
    for (const AccountSums& own : sums) {
        const std::vector<std::uint32_t> targets = targets_at(evidence, own.most->place, is_sleep);
        std::uint64_t count = 0;
        for (const std::uint32_t target : targets) {
            count += evidence.wait_sums[target].count;
        }
        const std::vector<std::uint32_t> threads = main_threads(own.threads);
        const bool are_brief = count >= kManySleeps && own.ns <= static_cast<std::int64_t>(count) * kBriefNs;
        const double least_busy = are_brief ? kLeastBusyOfBrief : kLeastBusy;
        if (busy < least_busy || static_cast<double>(own.shorter_ns) < least_ns(evidence) ||
            own.shorter_ns * static_cast<std::int64_t>(count) < kLeastSleeps * own.ns ||
            need_of(evidence, own, threads, least_busy) != kNeed) {
            continue;
        }
        Claim claim = claim_of(evidence, own, set_of(Term::kWaiting));
        claim.targets = targets;
        claim.title = fmt::format("{} {}{} in {} {}, {} in all; for {} of it nothing else of the program works.",
                                  thread_names(evidence, claim.threads), does(claim.threads, "sleep"),
                                  kNeed == Need::kPauses ? " between pieces of work," : "", name(*claim.place),
                                  how_often(count), in_seconds(static_cast<double>(own.ns)),
                                  in_seconds(static_cast<double>(own.shorter_ns)));
        claim.evidence = {{"sleeps", static_cast<double>(count)},
                          seconds("asleep", static_cast<double>(own.ns) / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kPollingSleep{
    .place = 261,
    .kind = "polling-sleep",
    .needs =
        "threads sleep in one function while no thread of the program works, for a tenth of the run, and work for a "
        "tenth of it themselves, or make threads that do, or are waited for by others, but sleep for longer than "
        "they work",
    .against =
        "that time is less than two of the sleeps: the last one holds up the program's end, once; the program works "
        "for less than a tenth of the run: it is there to wait, unless it sleeps a thousand times and more, for half "
        "a millisecond each or less, where a hundredth is enough. Whether a sleep is meant (a rate, "
        "a pause between tries) is not known",
    .look = claim_sleep<Need::kWaits>,
    .direction =
        "wait for the event itself (a condition variable, a future, poll on a descriptor) instead of sleeping and "
        "looking again, or sleep for less",
    .confirm = "shorten the sleep to a tenth and run again: the run must become shorter by about this time",
    .is_generic = true,
};

extern const Rule kPauseInWork{
    .place = 263,
    .kind = "periodic-pause",
    .needs =
        "threads sleep in one function while no thread of the program works, for a tenth of the run, and work for "
        "longer than they sleep",
    .against =
        "that time is less than two of the sleeps; the program works for less than a tenth of the run: it is there "
        "to "
        "wait. Whether a sleep is meant (a rate) is not known",
    .look = claim_sleep<Need::kPauses>,
    .direction = "leave the pause out, or do other work meanwhile: with several threads, none of them works then",
    .confirm = "shorten the sleep to a tenth and run again: the run must become shorter by about this time",
    .is_generic = true,
};

}  // namespace kymo::findings
